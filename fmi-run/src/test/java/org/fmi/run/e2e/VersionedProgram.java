package org.fmi.run.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * Adds up a number of its jar and one of a directory of its class path, whatever they are when it
 * needs them. In the middle it waits for a file.
 */
public final class VersionedProgram {
  static final int ITERATIONS = 100;

  /** From here on files of it may be others. */
  static final int PAUSE = 40;

  private VersionedProgram() {}

  /** Loaded when it is needed. */
  private static final class Numbers {
    static final long SUM = read("/number-of-jar") + read("/number-of-directory");

    private Numbers() {}

    private static long read(String name) {
      try (InputStream in = VersionedProgram.class.getResourceAsStream(name)) {
        if (in == null) {
          throw new IllegalStateException(name + " is not there");
        }
        return Long.parseLong(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  public static void main(String[] args) {
    Path file = Path.of(args[0]);
    long[] sum = {0};
    try (Fmi fmi = Fmi.init(args)) {
      int rank = fmi.world().rank();
      fmi.loop(
          ITERATIONS,
          n -> {
            while (n == PAUSE && Files.notExists(file)) {
              Thread.sleep(10); // polls for what the test does
            }
            long[] more = {Numbers.SUM};
            fmi.world().allReduce(more, Op.SUM);
            sum[0] += more[0];
          },
          sum);
      System.out.println("rank " + rank + " has " + sum[0]);
    }
  }
}
