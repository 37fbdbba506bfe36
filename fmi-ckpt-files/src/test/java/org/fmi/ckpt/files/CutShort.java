package org.fmi.ckpt.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A target whose process dies at one of its steps: no later step happens, and data that was not
 * forced to storage may be lost in part.
 */
final class CutShort implements Target {
  private final Target target = new PosixTarget();
  private final SplittableRandom random;
  private int left;

  /** Files with content that was never forced. */
  private final Set<Path> weak = new HashSet<>();

  /** By new name: files renamed since their directory was forced. */
  private final Map<Path, Path> renamed = new HashMap<>();

  /** The process is dead. */
  static final class Dead extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * @param steps the number of steps before the death
   */
  CutShort(int steps, long seed) {
    this.left = steps;
    this.random = new SplittableRandom(seed);
  }

  /** Whether the process has not died. */
  boolean isAlive() {
    return left >= 0;
  }

  private void step() {
    if (left-- <= 0) {
      left = -1;
      throw new Dead();
    }
  }

  /** Cuts the power: unforced data is lost at random. */
  void lose() throws IOException {
    for (Map.Entry<Path, Path> each : renamed.entrySet()) {
      if (random.nextBoolean() && Files.exists(each.getKey())) {
        Files.move(each.getKey(), each.getValue());
      }
    }
    for (Path file : weak) {
      if (Files.exists(file)) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.truncate(random.nextLong(channel.size() + 1));
        }
      }
    }
  }

  @Override
  public void makeDirectory(Path directory) throws IOException {
    step();
    target.makeDirectory(directory);
  }

  @Override
  public Output create(Path file) throws IOException {
    step();
    Output output = target.create(file);
    weak.add(file);
    return new Output() {
      @Override
      public void append(ByteBuffer bytes) throws IOException {
        if (left <= 0) {
          // The process dies in the middle of a write.
          bytes.limit(bytes.position() + random.nextInt(bytes.remaining() + 1));
          output.append(bytes);
        }
        step();
        output.append(bytes);
      }

      @Override
      public void replace(long at, ByteBuffer bytes) throws IOException {
        step();
        output.replace(at, bytes);
      }

      @Override
      public void force() throws IOException {
        step();
        output.force();
        weak.remove(file);
      }

      @Override
      public void close() throws IOException {
        output.close();
      }
    };
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step();
    target.rename(from, to);
    renamed.put(to, from);
    if (weak.remove(from)) {
      weak.add(to);
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    step();
    target.forceDirectory(directory);
    renamed.keySet().removeIf(file -> directory.equals(file.getParent()));
  }

  @Override
  public void delete(Path file) throws IOException {
    step();
    target.delete(file);
  }

  @Override
  public boolean deleteDirectory(Path directory) throws IOException {
    step();
    return target.deleteDirectory(directory);
  }
}
