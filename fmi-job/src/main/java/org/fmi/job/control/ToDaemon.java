package org.fmi.job.control;

import java.util.List;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.JobMessage;

/** What fmirun tells a daemon. */
@Wire
public sealed interface ToDaemon {
  /** The first message: what all ranks of the job have in common. */
  @Tag(1)
  record Setup(NodeSetup setup) implements ToDaemon {}

  /**
   * Start a process for a rank; a waiting standby takes it over at once, unless it has options of
   * its own.
   *
   * @param share the cores that it gets
   * @param jvmOptions for its JVM alone, after those of all
   */
  @Tag(2)
  record Spawn(Assignment assignment, CoreShare share, List<String> jvmOptions)
      implements ToDaemon {
    public Spawn {
      jvmOptions = List.copyOf(jvmOptions);
    }
  }

  /** Kill a rank's process group with SIGKILL. */
  @Tag(3)
  record KillRank(int rank, int incarnation) implements ToDaemon {}

  /** Pass a message on to one rank. */
  @Tag(4)
  record Tell(int rank, int incarnation, JobMessage message) implements ToDaemon {}

  /** Pass a message on to all ranks of the node. */
  @Tag(5)
  record TellAll(JobMessage message) implements ToDaemon {}

  /**
   * Keep {@code count} processes ready that do not know yet which rank they will be.
   *
   * @param ranksOnNode how many ranks will then share the node; sizes their heaps
   */
  @Tag(6)
  record Standbys(int count, int ranksOnNode) implements ToDaemon {}

  /** Standard input for a process of rank 0; empty at its end. */
  @Tag(7)
  record Input(int incarnation, byte[] bytes) implements ToDaemon {}

  /** This many bytes of output have been written; the daemon may send as many more. */
  @Tag(8)
  record OutputTaken(int bytes) implements ToDaemon {}

  /** Ask all ranks to end, with SIGTERM; {@link ShutDown} follows. */
  @Tag(10)
  record Terminate() implements ToDaemon {}

  /**
   * Ask the process of a rank what its threads do: answered by {@link FromDaemon.Stack}, unless it
   * cannot answer.
   */
  @Tag(11)
  record Stack(int rank) implements ToDaemon {}

  /** Something to be done with checkpoints on files. */
  @Tag(12)
  record Level2(Level2Order order) implements ToDaemon {}

  /** Kill all ranks, delete the node's directory, end. */
  @Tag(9)
  record ShutDown() implements ToDaemon {}
}
