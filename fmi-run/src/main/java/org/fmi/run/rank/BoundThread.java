package org.fmi.run.rank;

import org.fmi.core.progress.OwnCore;
import org.fmi.job.control.CoreList;
import org.fmi.run.process.Affinity;

/**
 * Binds the communicating thread of a rank to its dedicated core.
 *
 * <p>Only threads that the program starts in the meantime are bound with it.
 */
final class BoundThread implements OwnCore {
  private final int[] core;
  private final int[] before;
  private final CompilerThreads compilers = CompilerThreads.ofThisProcess();

  private BoundThread(int[] core, int[] before) {
    this.core = core;
    this.before = before;
  }

  /**
   * Returns the binding of the calling thread, which is not bound yet. If the system does not
   * permit it, prints a warning.
   *
   * @param core numbers of the core's hardware threads; empty if there is none
   */
  static OwnCore of(int[] core) {
    // A virtual thread runs on changing threads of the system.
    if (core.length == 0 || Thread.currentThread().isVirtual()) {
      return NONE;
    }
    int[] before = Affinity.ofCaller();
    if (before.length == 0 || !Affinity.bindCaller(core)) {
      System.err.println(
          "fmi: the system does not permit binding a thread to core "
              + CoreList.format(core)
              + "; this rank runs unbound (--bind none does not try)");
      return NONE;
    }
    BoundThread thread = new BoundThread(core, before);
    thread.leave();
    return thread;
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public boolean isWanted() {
    return compilers.anyRuns();
  }

  @Override
  public void take() {
    // It was permitted before; if it is no longer, the rank is merely slower.
    boolean _ = Affinity.bindCaller(core);
  }

  @Override
  public void leave() {
    boolean _ = Affinity.bindCaller(before);
  }
}
