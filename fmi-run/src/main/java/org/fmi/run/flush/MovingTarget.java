package org.fmi.run.flush;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.fmi.ckpt.files.Target;

/** A target that reports each completed step; while it does, nothing hangs. */
class MovingTarget implements Target {
  private final Target target;
  private final Runnable moved;

  MovingTarget(Target target, Runnable moved) {
    this.target = target;
    this.moved = moved;
  }

  /** Reports another completed step. */
  void moved() {
    moved.run();
  }

  @Override
  public void makeDirectory(Path directory) throws IOException {
    target.makeDirectory(directory);
    moved.run();
  }

  @Override
  public Output create(Path file) throws IOException {
    Output output = target.create(file);
    moved.run();
    return new Output() {
      @Override
      public void append(ByteBuffer bytes) throws IOException {
        output.append(bytes);
        moved.run();
      }

      @Override
      public void replace(long at, ByteBuffer bytes) throws IOException {
        output.replace(at, bytes);
        moved.run();
      }

      @Override
      public void force() throws IOException {
        output.force();
        moved.run();
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
    moved.run();
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    target.forceDirectory(directory);
    moved.run();
  }

  @Override
  public void delete(Path file) throws IOException {
    target.delete(file);
    moved.run();
  }

  @Override
  public boolean deleteDirectory(Path directory) throws IOException {
    boolean deleted = target.deleteDirectory(directory);
    moved.run();
    return deleted;
  }
}
