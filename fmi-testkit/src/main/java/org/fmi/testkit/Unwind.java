package org.fmi.testkit;

/** Ends the thread of a dead process, once its actions have no effect. */
final class Unwind extends Error {
  private static final long serialVersionUID = 1L;

  Unwind() {
    super("the simulated process is dead", null, false, false);
  }
}
