package org.fmi.job.daemon;

import java.util.List;
import org.fmi.job.control.FlushTask;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToRank;

/**
 * What a node's daemon is to do. The shell carries commands out in order and reports how it went as
 * {@link DaemonEvent}s.
 */
public sealed interface DaemonCommand {
  /**
   * See whether ranks of this kind can run here: answered by {@link DaemonEvent.Prepared} or {@link
   * DaemonEvent.Unfit}.
   */
  record Prepare(NodeSetup setup) implements DaemonCommand {}

  /**
   * Start a process that does not know yet which rank it is: answered by {@link
   * DaemonEvent.Started} or {@link DaemonEvent.NotStarted}.
   *
   * @param process its number, not used before
   * @param ranksOnMachine how many ranks share the machine; sizes its heap and threads
   * @param jvmOptions for its JVM, after those of all ranks
   */
  record Start(int process, int ranksOnMachine, List<String> jvmOptions) implements DaemonCommand {
    public Start {
      jvmOptions = List.copyOf(jvmOptions);
    }
  }

  /**
   * Bind a process to cores, before it runs the program. Refused by {@link DaemonEvent.NotBound}.
   *
   * @param cores their numbers, at least one
   */
  record Bind(int process, int[] cores) implements DaemonCommand {}

  /**
   * Send the output of a process, from its beginning, as that of a rank, and let it have that
   * rank's input. Comes once at most for a process.
   */
  record Attach(int process, int rank, int incarnation) implements DaemonCommand {}

  /** Send a message to a connected process. */
  record Tell(int process, ToRank message) implements DaemonCommand {}

  /** Watch the heartbeat of a connected process, and let it hear ours. */
  record Watch(int process, int timeoutMillis) implements DaemonCommand {}

  /** Give a process of rank 0 more of its standard input; empty at its end. */
  record Input(int process, byte[] bytes) implements DaemonCommand {}

  /** Wait for the end of the lifeline that a process holds: {@link DaemonEvent.Dying}. */
  record AdoptLifeline(int process) implements DaemonCommand {}

  /** Close the connection of a process. */
  record Disconnect(int process) implements DaemonCommand {}

  /**
   * Kill a process with all that it has started (SIGKILL to its group): answered by {@link
   * DaemonEvent.WasDying} if it is dying already.
   */
  record Kill(int process) implements DaemonCommand {}

  /** Ask a process to end (SIGTERM), which runs the program's shutdown hooks. */
  record Terminate(int process) implements DaemonCommand {}

  /** Give the helper a task, and start it if need be: {@link DaemonEvent.HelperEnded} answers. */
  record RunHelper(FlushTask task) implements DaemonCommand {}

  /** See whether the helper has a core: {@link DaemonEvent.HelperSeen} answers. */
  record LookAtHelper() implements DaemonCommand {}

  /** Kill the helper. It may hang in the system, and {@link DaemonEvent.HelperEnded} come late. */
  record KillHelper() implements DaemonCommand {}

  /** Delete these names of pieces that ranks have kept. */
  record LetGo(List<String> pieces) implements DaemonCommand {
    public LetGo {
      pieces = List.copyOf(pieces);
    }
  }

  /**
   * Delete what a process that has ended has kept and never reported.
   *
   * @param prefix of the names of what was kept for its rank
   * @param known names that stay
   */
  record LetGoUnknown(String prefix, List<String> known) implements DaemonCommand {
    public LetGoUnknown {
      known = List.copyOf(known);
    }
  }

  /**
   * Let these of the machine's cores run slowly from now on, and all others as fast as before.
   *
   * @param cores the numbers of their hardware threads
   * @param megahertz the most that they run at, if they can run that slowly
   */
  record SlowDown(List<Integer> cores, int megahertz) implements DaemonCommand {
    public SlowDown {
      cores = List.copyOf(cores);
    }
  }

  /** Send a message to fmirun. */
  record Report(FromDaemon message) implements DaemonCommand {}

  /** Kill all processes, delete the node's memory, end. The last command of all. */
  record End() implements DaemonCommand {}
}
