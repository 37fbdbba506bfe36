package org.fmi.examples;

import org.fmi.Comm;
import org.fmi.Fmi;

/** The end of a program that has checked its result. */
public final class Outcome {
  private static final int WRONG_RESULT = 1;

  private Outcome() {}

  /**
   * The result line, to be printed after {@code close}; rank 0 alone has one. A wrong result ends
   * the whole job.
   *
   * @param right whether the program's own check has passed; rank 0 decides
   * @param values what the line says of the result
   */
  public static String of(Fmi fmi, boolean right, String values) {
    Comm world = fmi.world();
    if (world.rank() != 0) {
      return "";
    }
    String check = right ? "ok" : "FAILED";
    String line = "result " + values + " check=" + check + " recoveries=" + fmi.epoch() + "\n";
    if (!right) {
      System.out.print(line);
      world.abort(WRONG_RESULT);
    }
    return line;
  }
}
