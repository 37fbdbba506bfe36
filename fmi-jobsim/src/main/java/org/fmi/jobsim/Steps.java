package org.fmi.jobsim;

import org.fmi.testkit.SimProcess;

/** Where a process is in its first loop. */
final class Steps {
  private final SimProcess process;

  long iteration = -1;

  /** It has said that it would go on, and was not told otherwise. */
  boolean goesOn;

  Steps(SimProcess process) {
    this.process = process;
  }

  /** It begins anew from a checkpoint, whichever iteration it is in. */
  void goesBack() {
    goesOn = false;
    iteration = -1;
  }

  /** Whether it has checked a checkpoint on this node, or will, and not gone on from it yet. */
  boolean mayReadOn(int node) {
    return process.node() == node && process.alive() && !goesOn && iteration < 0;
  }
}
