package org.fmi.jobsim;

import org.fmi.testkit.SimProcess;

/** The progress of a process in its first loop. */
final class Steps {
  private final SimProcess process;

  long iteration = -1;

  /** Whether it has offered to continue, and was not ordered to roll back. */
  boolean continues;

  Steps(SimProcess process) {
    this.process = process;
  }

  /** Notes a restart from a checkpoint, in any iteration. */
  void rollsBack() {
    continues = false;
    iteration = -1;
  }

  /** Returns whether it checks a checkpoint on this node and has not continued from it yet. */
  boolean mayReadCheckpointOn(int node) {
    return process.node() == node && process.alive() && !continues && iteration < 0;
  }
}
