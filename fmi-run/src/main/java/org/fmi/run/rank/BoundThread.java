package org.fmi.run.rank;

import org.fmi.core.progress.OwnCore;
import org.fmi.job.control.CoreList;
import org.fmi.run.process.Affinity;

/**
 * Binds the thread of a rank that communicates to the core that it has to itself.
 *
 * <p>Only the program's own threads that are started meanwhile are bound with it.
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
   * What there is for the calling thread: it is not bound yet. Where the system does not allow it
   * to be, a line says so.
   *
   * @param core numbers of the core's hardware threads; empty if there is none
   */
  static OwnCore of(int[] core) {
    // A virtual thread runs now on one thread of the system, now on another.
    if (core.length == 0 || Thread.currentThread().isVirtual()) {
      return NONE;
    }
    int[] before = Affinity.ofCaller();
    if (before.length == 0 || !Affinity.bindCaller(core)) {
      System.err.println(
          "fmi: the system does not allow a thread to be bound to core "
              + CoreList.format(core)
              + "; this rank runs without (--bind none does not try)");
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
    // What was allowed once; were it not any more, the rank would only be slower.
    boolean _ = Affinity.bindCaller(core);
  }

  @Override
  public void leave() {
    boolean _ = Affinity.bindCaller(before);
  }
}
