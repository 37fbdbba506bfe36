package org.fmi.ckpt.files;

import java.io.IOException;
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
 * A file of a POSIX file system that is being written: past the system's cache (O_DIRECT) where the
 * file system takes that and memory and place are aligned, which halves what it costs and leaves
 * the cache to others; the rest, and everything elsewhere, through the cache.
 */
final class FileOutput implements Target.Output {
  /** Of places and lengths: as much as the blocks of file systems need. */
  private static final int ALIGNMENT = 4096;

  /** So much may wait in the cache: else forcing it would look like standing still. */
  private static final long MOST_UNFORCED = 256 << 20;

  private final Path file;
  private final FileChannel channel;

  /** Where the next bytes go. */
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
    long end = at + bytes.remaining();
    if (mayBeDirect && at % ALIGNMENT == 0 && bytes.remaining() % ALIGNMENT == 0) {
      writeDirect(bytes);
    }
    write(end - bytes.remaining(), bytes);
    at = end;
  }

  @Override
  public void replace(long position, ByteBuffer bytes) throws IOException {
    write(position, bytes);
  }

  @Override
  public void force() throws IOException {
    unforced = 0;
    try {
      channel.force(true);
    } catch (IOException e) {
      IOException named = PosixTarget.named(file, e);
      throw named instanceof FullException ? named : new NotStoredException(file, e);
    }
  }

  /** Writes what can be written so. */
  private void writeDirect(ByteBuffer bytes) {
    try {
      FileChannel open = direct;
      if (open == null) {
        open =
            FileChannel.open(
                file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS, pastTheCache());
        direct = open;
      }
      int _ = open.write(bytes, at);
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
      force();
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel open = direct;
    try (channel) {
      if (open != null) {
        open.close();
      }
    }
  }
}
