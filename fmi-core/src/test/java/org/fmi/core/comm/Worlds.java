package org.fmi.core.comm;

import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Ranks;

/** Runs a program at several ranks in threads of this JVM. */
final class Worlds {
  /** A rank's program. */
  @FunctionalInterface
  interface Program {
    void run(Communicator world) throws Exception;
  }

  static final JobCalls NO_ABORT =
      status -> {
        throw new AssertionError("abort " + status);
      };

  private Worlds() {}

  /** Runs it twice: with each rank on its own node, and with all ranks on one. */
  static void run(int ranks, Program program) {
    Ranks.run(ranks, p2p -> program.run(world(p2p)));
    Ranks.runOnOneNode(ranks, p2p -> program.run(world(p2p)));
  }

  /** Runs it with the ranks on the given nodes, delayed at random. */
  static void runOnNodes(int[] nodes, long seed, Program program) {
    Ranks.runOnNodes(nodes, seed, p2p -> program.run(world(p2p)));
  }

  static void runDelayed(int ranks, boolean oneNode, long seed, Program program) {
    Ranks.runDelayed(ranks, oneNode, seed, p2p -> program.run(world(p2p)));
  }

  static Communicator world(PointToPoint p2p) {
    return Communicator.world(p2p, new ContextIds(), NO_ABORT);
  }
}
