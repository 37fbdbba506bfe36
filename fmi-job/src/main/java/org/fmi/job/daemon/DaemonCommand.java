package org.fmi.job.daemon;

import java.util.List;
import org.fmi.job.control.FlushTask;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToRank;

/**
 * A command of a node's daemon. The shell executes commands in order and reports the results as
 * {@link DaemonEvent}s.
 */
public sealed interface DaemonCommand {
  /**
   * Check whether ranks of this kind can run here: answered by {@link DaemonEvent.Prepared} or
   * {@link DaemonEvent.Unfit}.
   */
  record Prepare(NodeSetup setup) implements DaemonCommand {}

  /**
   * Start a process without a rank: answered by {@link DaemonEvent.Started} or {@link
   * DaemonEvent.NotStarted}.
   *
   * @param process its number, not used before by a process that was started
   * @param ranksOnMachine the number of ranks that share the machine; determines its heap and
   *     threads
   * @param jvmOptions options of its JVM, in addition to those of all ranks
   */
  record Start(int process, int ranksOnMachine, List<String> jvmOptions) implements DaemonCommand {
    public Start {
      jvmOptions = List.copyOf(jvmOptions);
    }
  }

  /**
   * Bind a process to cores, before it runs the program. {@link DaemonEvent.NotBound} reports a
   * failure.
   *
   * @param cores their numbers, at least one
   */
  record Bind(int process, int[] cores) implements DaemonCommand {}

  /**
   * Send the output of a process, from its beginning, as output of a rank, and give it the input of
   * that rank. Occurs at most once for a process.
   */
  record Attach(int process, int rank, int incarnation) implements DaemonCommand {}

  /** Send a message to a connected process. */
  record Forward(int process, ToRank message) implements DaemonCommand {}

  /** Watch the heartbeat of a connected process, and send it ours. */
  record Watch(int process, int timeoutMillis) implements DaemonCommand {}

  /** Give a process of rank 0 more of its standard input; empty at the end. */
  record Input(int process, byte[] bytes) implements DaemonCommand {}

  /** Wait for the end of the lifeline that a process holds: {@link DaemonEvent.Dying}. */
  record AdoptLifeline(int process) implements DaemonCommand {}

  /** Close the connection of a process. */
  record Disconnect(int process) implements DaemonCommand {}

  /**
   * Kill a process and all its descendants (SIGKILL to its group): answered by {@link
   * DaemonEvent.Killed}, and before by {@link DaemonEvent.WasDying} if it was already dying.
   */
  record Kill(int process) implements DaemonCommand {}

  /**
   * Stop a process and all its descendants (SIGSTOP to its group), and do not miss its heartbeat
   * until {@link Continue}.
   */
  record Stop(int process) implements DaemonCommand {}

  /** Continue a stopped process. */
  record Continue(int process) implements DaemonCommand {}

  /** Check whether a process has a core: answered by {@link DaemonEvent.Seen}. */
  record Look(int process) implements DaemonCommand {}

  /** Ask a process to end (SIGTERM), which runs the program's shutdown hooks. */
  record Terminate(int process) implements DaemonCommand {}

  /**
   * Give the helper a task, and start the helper if necessary: answered by {@link
   * DaemonEvent.HelperEnded}.
   */
  record RunHelper(FlushTask task) implements DaemonCommand {}

  /** Check whether the helper has a core: answered by {@link DaemonEvent.HelperSeen}. */
  record LookAtHelper() implements DaemonCommand {}

  /** Kill the helper. It may hang in the system, which delays {@link DaemonEvent.HelperEnded}. */
  record KillHelper() implements DaemonCommand {}

  /** Delete these names of pieces that ranks have pinned. */
  record Unpin(List<String> pieces) implements DaemonCommand {
    public Unpin {
      pieces = List.copyOf(pieces);
    }
  }

  /**
   * Delete the pieces that an ended process pinned and never reported.
   *
   * @param prefix prefix of the names of its rank's pinned pieces
   * @param known names that stay
   */
  record UnpinUnknown(String prefix, List<String> known) implements DaemonCommand {
    public UnpinUnknown {
      known = List.copyOf(known);
    }
  }

  /** Delete the checkpoints of a rank that is not on the node. */
  record Forget(int rank) implements DaemonCommand {}

  /**
   * Slow these cores of the machine down from now on, and run all others at full speed.
   *
   * @param cores the numbers of their hardware threads
   * @param megahertz their maximum frequency, if they can run that slowly
   */
  record SlowDown(List<Integer> cores, int megahertz) implements DaemonCommand {
    public SlowDown {
      cores = List.copyOf(cores);
    }
  }

  /** Send a message to fmirun. */
  record Report(FromDaemon message) implements DaemonCommand {}

  /** Kill all processes, delete the node's memory, and end. The last command of all. */
  record End() implements DaemonCommand {}
}
