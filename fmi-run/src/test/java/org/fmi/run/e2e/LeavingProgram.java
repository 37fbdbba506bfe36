package org.fmi.run.e2e;

import org.fmi.Fmi;

/**
 * A program that throws outside of any loop, while another rank waits: for its message, or, after a
 * loop, for a checkpoint of the next.
 */
public final class LeavingProgram {
  private LeavingProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      int[] box = new int[1];
      if (args[0].equals("checkpoint")) {
        fmi.loop(20, _ -> {}, box);
      }
      if (fmi.world().rank() == 1) {
        throw new ArithmeticException("a defect before the message");
      }
      if (args[0].equals("checkpoint")) {
        fmi.loop(1, _ -> {}, box);
      }
      fmi.world().recv(box, 1, 0);
    }
  }
}
