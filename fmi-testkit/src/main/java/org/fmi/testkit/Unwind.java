package org.fmi.testkit;

/** Ends the thread of a process that is dead, once nothing it does matters any more. */
final class Unwind extends Error {
  private static final long serialVersionUID = 1L;

  Unwind() {
    super("the simulated process is dead", null, false, false);
  }
}
