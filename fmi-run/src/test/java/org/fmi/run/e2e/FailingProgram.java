package org.fmi.run.e2e;

import org.fmi.Fmi;

/** A program with a defect that every run meets at the same iteration. */
public final class FailingProgram {
  private FailingProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      long[] sum = new long[1];
      fmi.loop(
          100,
          iteration -> {
            if (iteration == 20 && fmi.world().rank() == 1) {
              throw new ArithmeticException("a defect of the program");
            }
            fmi.world().barrier();
            sum[0] += iteration;
          },
          sum);
    }
  }
}
