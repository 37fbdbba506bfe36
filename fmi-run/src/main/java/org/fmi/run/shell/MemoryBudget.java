package org.fmi.run.shell;

import org.fmi.job.JobController;
import org.fmi.run.Amounts;
import org.jspecify.annotations.Nullable;

/**
 * The heap that fmirun may need at most, as the sum of its bounds. Each bound is constant or
 * follows from the numbers of ranks and nodes.
 *
 * @param nodes the number of nodes, spares included
 */
record MemoryBudget(int ranks, int nodes) {
  /**
   * Code, the input kept for rank 0, events that wait for their file or for clients, digests of
   * lines, stacks.
   */
  private static final long FIXED_BYTES = 224L << 20;

  /**
   * State and messages of the decision maker, unfinished lines of output; a connection with its
   * buffers.
   */
  private static final long BYTES_PER_RANK = 24 << 10;

  private static final long BYTES_PER_NODE = 128 << 10;

  /**
   * Returns the maximum unwritten output in all. Beside the nodes' shares that is the rest in the
   * pipes of processes that have ended, and messages of fmirun.
   */
  long consoleBytes() {
    return OutputShares.ALL_BYTES + 2L * nodes * OutputShares.equal(nodes);
  }

  /** Returns the sum of all bounds. */
  long bytes() {
    return FIXED_BYTES
        + ranks * BYTES_PER_RANK
        + nodes * BYTES_PER_NODE
        + consoleBytes()
        + JobController.mostBytesOfDeterminants(ranks);
  }

  /**
   * Returns a warning if there is less.
   *
   * @param heap the maximum heap of this JVM
   */
  @Nullable String warning(long heap) {
    return heap >= bytes()
        ? null
        : "fmirun may need up to "
            + Amounts.bytes(bytes())
            + " of heap for "
            + Amounts.count(ranks, "rank")
            + " on "
            + Amounts.count(nodes, "node")
            + ", and has "
            + Amounts.bytes(heap)
            + ", half of this host's memory: if it runs out of it, the job ends. Start it on a"
            + " host with more memory";
  }
}
