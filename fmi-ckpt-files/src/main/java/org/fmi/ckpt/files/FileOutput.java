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
 * A file being written to a POSIX file system. Aligned data bypass the system's cache (O_DIRECT)
 * where the file system supports that, which halves the cost and leaves the cache to other uses.
 * All other data go through the cache.
 */
final class FileOutput implements Target.Output {
  /** The alignment of positions and lengths, which suits the blocks of file systems. */
  private static final int ALIGNMENT = 4096;

  /** The most bytes in the cache between two forces, as a longer force would resemble a hang. */
  private static final long MOST_UNFORCED = 256 << 20;

  private final Path file;
  private final FileChannel channel;

  /** The position of the next bytes. */
  private long at;

  private long unforced;

  /** The same file opened for direct writes; null if it is not open. */
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

  /** Writes as much as possible directly. */
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
      // Refused, or about to fail in the other way too, with the reason.
      mayBeDirect = false;
    }
  }

  /**
   * {@code ExtendedOpenOption.DIRECT}, by reflection: compilers warn of its name, as not all JDKs
   * have it.
   */
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
