package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A target on which forcing files fails, or which has limited room. */
final class Faulty implements Target {
  private final Target target = new PosixTarget();

  /** The number of next forces that fail. */
  int unforced;

  /** The remaining room in bytes. */
  long room = Long.MAX_VALUE;

  /** The files created. */
  final List<Path> created = new ArrayList<>();

  /** The files that were to be forced, even without success. */
  final List<Path> forced = new ArrayList<>();

  @Override
  public void makeDirectory(Path directory) throws IOException {
    target.makeDirectory(directory);
  }

  @Override
  public Output create(Path file) throws IOException {
    created.add(file);
    Output output = target.create(file);
    return new Output() {
      @Override
      public void append(ByteBuffer bytes) throws IOException {
        if (bytes.remaining() > room) {
          throw new FullException(file, "No space left on device");
        }
        room -= bytes.remaining();
        output.append(bytes);
      }

      @Override
      public void replace(long at, ByteBuffer bytes) throws IOException {
        output.replace(at, bytes);
      }

      @Override
      public void force() throws IOException {
        forced.add(file);
        if (unforced-- > 0) {
          throw new NotStoredException(file, new IOException("Input/output error"));
        }
        output.force();
      }

      @Override
      public void close() throws IOException {
        output.close();
      }
    };
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    target.rename(from, to);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    target.forceDirectory(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    target.delete(file);
  }

  @Override
  public boolean deleteDirectory(Path directory) throws IOException {
    return target.deleteDirectory(directory);
  }
}
