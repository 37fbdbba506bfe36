package org.fmi.run.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.fmi.Fmi;

/**
 * A program with a defect that every run meets at the same iteration. If it is given the name of a
 * file only the first one does, which makes the file, and does not come to its end.
 */
public final class FailingProgram {
  private FailingProgram() {}

  public static void main(String[] args) throws IOException {
    try (Fmi fmi = Fmi.init(args)) {
      long[] sum = new long[1];
      fmi.loop(
          100,
          iteration -> {
            if (iteration == 20 && fmi.world().rank() == 1 && mustFail(args)) {
              throw new ArithmeticException("a defect of the program");
            }
            fmi.world().barrier();
            sum[0] += iteration;
          },
          sum);
    }
  }

  private static boolean mustFail(String[] args) throws IOException {
    if (args.length == 0) {
      return true;
    }
    Path file = Path.of(args[0]);
    if (Files.exists(file)) {
      return false;
    }
    Files.createFile(file);
    CountDownLatch never = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    return true;
  }
}
