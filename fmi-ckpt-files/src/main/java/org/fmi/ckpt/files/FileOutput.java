package org.fmi.ckpt.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/**
 * A file of a POSIX file system that is being written: whole chunks past the system's cache
 * (O_DIRECT) where the file system takes that, which halves what they cost and leaves the cache to
 * others; the rest, and everything elsewhere, through the cache.
 */
final class FileOutput implements Target.Output {
  private static final int CHUNK_BYTES = 4 << 20;

  /** More than the blocks of file systems need. */
  private static final int ALIGNMENT = 1 << 20;

  /** So much may wait in the cache: else forcing it would look like standing still. */
  private static final long MOST_UNFORCED = 256 << 20;

  private final Path file;
  private final FileChannel channel;

  /** Of the chunk: given back at once, not when the collector finds it. */
  private final Arena memory = Arena.ofConfined();

  /** What was appended and not written yet. */
  private final ByteBuffer chunk = memory.allocate(CHUNK_BYTES, ALIGNMENT).asByteBuffer();

  /** Where it begins. */
  private long at;

  private long unforced;

  /** The same file, past the cache; null if that is not open. */
  private @Nullable FileChannel direct;

  private boolean mayBeDirect = true;

  private FileOutput(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  static FileOutput create(Path file) throws IOException {
    return new FileOutput(
        file,
        FileChannel.open(
            file,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
  }

  @Override
  public void append(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int count = Math.min(bytes.remaining(), chunk.remaining());
      chunk.put(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      if (!chunk.hasRemaining()) {
        drain();
      }
    }
  }

  @Override
  public void replace(long position, ByteBuffer bytes) throws IOException {
    drain();
    write(position, bytes);
  }

  @Override
  public void force() throws IOException {
    drain();
    sync();
  }

  private void drain() throws IOException {
    chunk.flip();
    if (chunk.limit() == CHUNK_BYTES && mayBeDirect) {
      writeDirect();
    }
    write(at + chunk.position(), chunk);
    at += chunk.limit();
    chunk.clear().limit(CHUNK_BYTES);
  }

  /** Writes what can be written so. */
  private void writeDirect() {
    try {
      FileChannel open = direct;
      if (open == null) {
        open =
            FileChannel.open(
                file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS, pastTheCache());
        direct = open;
      }
      int _ = open.write(chunk, at);
    } catch (IOException | UnsupportedOperationException e) {
      // Refused, or it fails in the other way too, which tells why.
      mayBeDirect = false;
    }
  }

  /** {@code ExtendedOpenOption.DIRECT}: compilers warn of its name, for not all JDKs have it. */
  private static OpenOption pastTheCache() {
    try {
      Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
      return (OpenOption) options.getField("DIRECT").get(null);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException(e);
    }
  }

  private void write(long position, ByteBuffer bytes) throws IOException {
    unforced += bytes.remaining();
    try {
      for (long to = position; bytes.hasRemaining(); ) {
        to += channel.write(bytes, to);
      }
    } catch (IOException e) {
      throw PosixTarget.named(file, e);
    }
    if (unforced > MOST_UNFORCED) {
      sync();
    }
  }

  private void sync() throws IOException {
    unforced = 0;
    try {
      channel.force(true);
    } catch (IOException e) {
      IOException named = PosixTarget.named(file, e);
      throw named instanceof FullException ? named : new NotStoredException(file, e);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel open = direct;
    try (memory;
        channel) {
      if (open != null) {
        open.close();
      }
    }
  }
}
