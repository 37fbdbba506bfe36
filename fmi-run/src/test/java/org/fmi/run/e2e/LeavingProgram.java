package org.fmi.run.e2e;

import org.fmi.Fmi;

/** A program that throws outside of any loop, while another rank waits for its message. */
public final class LeavingProgram {
  private LeavingProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      int[] box = new int[1];
      if (fmi.world().rank() == 1) {
        throw new ArithmeticException("a defect before the message");
      }
      fmi.world().recv(box, 1, 0);
    }
  }
}
