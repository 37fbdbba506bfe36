package org.fmi.run.process;

import java.io.File;

/**
 * Process groups. A rank leads one, so that its daemon can kill it with all its descendants. A
 * daemon leads one as well, because Ctrl-C is for fmirun alone.
 *
 * <p>Both stay in the session in which they were started: the system may schedule sessions as
 * units, and then a rank that yields does not give its core to another session (autogroup,
 * sched(7)).
 */
public final class ProcessGroup {
  private static final int SIGKILL = 9;
  private static final int SIGCONT = 18;
  private static final int SIGSTOP = 19;

  private ProcessGroup() {}

  /**
   * Makes this process the leader of a group, with setpgid(2). Runs on a thread, because the first
   * system call takes tens of milliseconds to set up.
   *
   * @return a thread that is alive until it is done
   */
  public static Thread lead() {
    return Thread.ofPlatform().daemon().name("fmi-group").start(ProcessGroup::setpgid);
  }

  private static void setpgid() {
    // The leader of a session, such as a daemon started by ssh, is refused, but already leads a
    // group.
    if (new SystemCall("setpgid").call(0, 0, 0) != 0
        && new SystemCall("getpgid").call(0, 0, 0) != ProcessHandle.current().pid()) {
      System.err.println(
          "fmi: this process does not lead a process group: its children may outlive it");
    }
  }

  /** Set up once, and only in processes that send signals. */
  private static final class Kill {
    static final SystemCall FUNCTION = new SystemCall("kill");
  }

  /** Kills the processes left in the group of a leader that has ended and been reaped. */
  public static void killOrphans(long leader) {
    // The system reuses a number when neither a process nor a group has it: if it is in use now,
    // the group is empty.
    if (!new File("/proc/" + leader).exists()) {
      kill(leader);
    }
  }

  /** Kills all processes of the group, if there are any. */
  public static void kill(long leader) {
    signal(leader, SIGKILL);
  }

  /** Stops all processes of the group. */
  public static void stop(long leader) {
    signal(leader, SIGSTOP);
  }

  /** Continues all stopped processes of the group. */
  public static void resume(long leader) {
    signal(leader, SIGCONT);
  }

  private static void signal(long leader, int signal) {
    if (leader <= 1) {
      // For kill(2), 0 is the caller's own group and -1 is every process.
      throw new IllegalArgumentException("no process group of a rank: " + leader);
    }
    int _ = Kill.FUNCTION.call(-leader, signal, 0);
  }
}
