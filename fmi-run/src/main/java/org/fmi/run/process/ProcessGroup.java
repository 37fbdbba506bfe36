package org.fmi.run.process;

import java.io.File;

/**
 * Process groups: a rank leads one, so that its daemon can kill it with all that the program has
 * started, and so does a daemon, for Ctrl-C is fmirun's business.
 *
 * <p>Both stay in the session they were started in: the system may schedule sessions as units, and
 * then a rank that yields gives its core to none of another session (autogroup, sched(7)).
 */
public final class ProcessGroup {
  private static final int SIGKILL = 9;

  private ProcessGroup() {}

  /**
   * Makes this process the leader of a group, by setpgid(2). A thread does so: the first call of
   * the system takes tens of milliseconds to be set up.
   *
   * @return a thread that is alive until it is done
   */
  public static Thread lead() {
    return Thread.ofPlatform().daemon().name("fmi-group").start(ProcessGroup::setpgid);
  }

  private static void setpgid() {
    // The leader of a session, such as a daemon started by ssh, is refused: it leads a group
    // already.
    if (new SystemCall("setpgid").call(0, 0, 0) != 0
        && new SystemCall("getpgid").call(0, 0, 0) != ProcessHandle.current().pid()) {
      System.err.println("fmi: this process leads no group: what it starts may outlive it");
    }
  }

  /** Set up once, and only in processes that kill. */
  private static final class Kill {
    static final SystemCall FUNCTION = new SystemCall("kill");
  }

  /** Kills what a leader that has ended, and was waited for, has left in its group. */
  public static void killOrphans(long leader) {
    // The system gives a number away again when neither a process nor a group has it: if somebody
    // has it now, nothing is left of the group.
    if (!new File("/proc/" + leader).exists()) {
      kill(leader);
    }
  }

  /** Kills all processes of the group; does nothing if there are none. */
  public static void kill(long leader) {
    if (leader <= 1) {
      // kill(2) takes 0 for the caller's own group and -1 for everybody.
      throw new IllegalArgumentException("no process group of a rank: " + leader);
    }
    int _ = Kill.FUNCTION.call(-leader, SIGKILL, 0);
  }
}
