package org.fmi.jobsim;

import org.fmi.testkit.SimProcess;

/** The progress of a process in its first loop. */
final class Steps {
  private final SimProcess process;

  long iteration = -1;

  /** Whether it has offered to continue, and was not ordered to roll back. */
  boolean goesOn;

  Steps(SimProcess process) {
    this.process = process;
  }

  /** Notes a restart from a checkpoint, in any iteration. */
  void goesBack() {
    goesOn = false;
    iteration = -1;
  }

  /** Returns whether it checks a checkpoint on this node and has not continued from it yet. */
  boolean mayReadOn(int node) {
    return process.node() == node && process.alive() && !goesOn && iteration < 0;
  }
}
