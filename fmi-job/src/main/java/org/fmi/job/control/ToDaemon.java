package org.fmi.job.control;

import java.util.List;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.JobMessage;
import org.fmi.spi.CheckpointId;

/** A message from fmirun to a daemon. */
@Wire
public sealed interface ToDaemon {
  /** The first message: the settings that all ranks of the job share. */
  @Tag(1)
  record Setup(NodeSetup setup) implements ToDaemon {}

  /**
   * Start a process for a rank; a standby takes the rank over at once, unless the rank has JVM
   * options of its own.
   *
   * @param share its cores
   * @param jvmOptions options of its JVM alone, in addition to those of all ranks
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

  /** Delete the checkpoints of a rank that has left the node. */
  @Tag(21)
  record Forget(int rank) implements ToDaemon {}

  /** Forward a message to one rank. */
  @Tag(4)
  record Forward(int rank, int incarnation, JobMessage message) implements ToDaemon {}

  /** Forward a message to all ranks of the node. */
  @Tag(5)
  record ForwardAll(JobMessage message) implements ToDaemon {}

  /**
   * Keep {@code count} standby processes.
   *
   * @param ranksOnNode the number of ranks that will share the node; determines their heaps
   */
  @Tag(6)
  record Standbys(int count, int ranksOnNode) implements ToDaemon {}

  /** Standard input for a process of rank 0; empty at the end. */
  @Tag(7)
  record Input(int incarnation, byte[] bytes) implements ToDaemon {}

  /**
   * Output of this {@link FromDaemon.Output#cost} was written; the daemon may send as much more.
   */
  @Tag(8)
  record OutputTaken(int cost) implements ToDaemon {}

  /** Ask all ranks to end, with SIGTERM; {@link ShutDown} follows. */
  @Tag(10)
  record Terminate() implements ToDaemon {}

  /**
   * Ask the process of a rank for its thread stacks: answered by {@link FromDaemon.Stack}, unless
   * it cannot answer.
   */
  @Tag(11)
  record Stack(int rank) implements ToDaemon {}

  /** An order about checkpoints in files. */
  @Tag(12)
  record Level2(Level2Order order) implements ToDaemon {}

  /** The answer to a {@link FromDaemon.LeaseRequest}: ranks may run, see there. */
  @Tag(13)
  record LeaseGranted(int request) implements ToDaemon {}

  /**
   * Try to reach these daemons: answered by {@link FromDaemon.Examined}. Replaces an earlier one.
   *
   * @param peers where they listen
   */
  @Tag(20)
  record Examine(int round, int withinMillis, List<Peer> peers) implements ToDaemon {
    public Examine {
      peers = List.copyOf(peers);
    }
  }

  /**
   * Tell which checkpoints the ranks of the node, which have all ended, have left: answered by
   * {@link FromDaemon.Holds}. From then on the daemon serves them ({@link PieceQuestion}).
   */
  @Tag(22)
  record Serve() implements ToDaemon {}

  /** Delete all other checkpoints than these: a later job begins from them. */
  @Tag(23)
  record Keep(List<CheckpointId> needed) implements ToDaemon {
    public Keep {
      needed = List.copyOf(needed);
    }
  }

  /** The address at which the daemon of a node listens. */
  record Peer(int node, String host, int port) {}

  /** Kill all ranks, delete the node's directory, and end. */
  @Tag(9)
  record ShutDown() implements ToDaemon {}
}
