package org.fmi.examples;

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
    return of(fmi, fmi.world().rank() == 0, right, values);
  }

  /**
   * The same, of a program whose rank 0 may be lost.
   *
   * @param first whether this is the one rank that has a result line
   */
  public static String of(Fmi fmi, boolean first, boolean right, String values) {
    if (!first) {
      return "";
    }
    String check = right ? "ok" : "FAILED";
    String line = "result " + values + " check=" + check + " recoveries=" + fmi.epoch() + "\n";
    if (!right) {
      System.out.print(line);
      fmi.world().abort(WRONG_RESULT);
    }
    return line;
  }
}
