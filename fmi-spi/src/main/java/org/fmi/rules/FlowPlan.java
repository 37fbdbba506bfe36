package org.fmi.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A plan of a flow rollback: which rank computes which iterations again, from a checkpoint to the
 * iteration that the surviving ranks have reached. Only ranks on whose data the lost state depends
 * roll back (Dichev et al., EuroMPI 2018, Alg. 1).
 *
 * <p>The state of a set of ranks after an iteration requires the states before it of these ranks
 * and of the ranks they read from. The plan follows this dependency backwards, from the lost ranks
 * after the last iteration to the checkpoint.
 */
public final class FlowPlan {
  private final long start;

  /**
   * By iteration from the checkpoint on: the ranks whose state before it is needed. The last
   * element is the lost ranks.
   */
  private final List<BitSet> needed;

  /** The ranks whose states before an iteration one rank's state after it is computed from. */
  @FunctionalInterface
  public interface Inputs {
    int[] of(int rank, long iteration);
  }

  private FlowPlan(long start, List<BitSet> needed) {
    this.start = start;
    this.needed = needed;
  }

  /**
   * @param start the number of iterations in the checkpoint's state
   * @param front the number of iterations in the state with which the other ranks continue
   * @param lost the ranks that have lost their state
   */
  public static FlowPlan of(Inputs inputs, long start, long front, BitSet lost) {
    List<BitSet> needed = new ArrayList<>();
    BitSet of = (BitSet) lost.clone();
    needed.add(of);
    for (long iteration = front - 1; iteration >= start; iteration--) {
      BitSet before = (BitSet) of.clone();
      for (int rank = of.nextSetBit(0); rank >= 0; rank = of.nextSetBit(rank + 1)) {
        for (int input : inputs.of(rank, iteration)) {
          before.set(input);
        }
      }
      needed.addFirst(before);
      of = before;
    }
    return new FlowPlan(start, needed);
  }

  /** The ranks that load the checkpoint. */
  public BitSet loading() {
    return (BitSet) needed.getFirst().clone();
  }

  /** The ranks whose state before an iteration is needed. */
  public BitSet takingPart(long iteration) {
    return (BitSet) at(iteration).clone();
  }

  /** Whether a rank's state before an iteration is needed. */
  public boolean takesPart(int rank, long iteration) {
    return at(iteration).get(rank);
  }

  /** Whether a rank computes an iteration. */
  public boolean computes(int rank, long iteration) {
    return at(iteration + 1).get(rank);
  }

  /** The number of iterations to compute again, summed over all ranks. */
  public long computed() {
    return computedBy().values().stream().mapToLong(Long::longValue).sum();
  }

  /** The number of iterations per rank, for each rank that loads the checkpoint. */
  public SortedMap<Integer, Long> computedBy() {
    SortedMap<Integer, Long> computed = new TreeMap<>();
    needed.getFirst().stream().forEach(rank -> computed.put(rank, 0L));
    needed.stream()
        .skip(1)
        .flatMapToInt(BitSet::stream)
        .forEach(rank -> computed.merge(rank, 1L, Long::sum));
    return computed;
  }

  private BitSet at(long iteration) {
    return needed.get((int) (iteration - start));
  }
}
