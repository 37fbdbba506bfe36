package org.fmi.rules;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Who computes what again after a failure, from a checkpoint up to where the others are, so that
 * only those go back that what was lost came from (Dichev et al., EuroMPI 2018, Alg. 1).
 *
 * <p>For the state of some ranks after an iteration, those ranks compute it, and the state before
 * it is needed of them and of what they read from. This is followed backwards, from the lost ranks
 * after the last iteration to the checkpoint.
 */
public final class FlowPlan {
  private final long line;

  /** By iteration from the checkpoint on: whose state before it is needed; last, the lost ranks. */
  private final List<BitSet> needed;

  /** Which ranks' states before an iteration one rank's state after it is computed from. */
  @FunctionalInterface
  public interface Inputs {
    int[] of(int rank, long iteration);
  }

  private FlowPlan(long line, List<BitSet> needed) {
    this.line = line;
    this.needed = needed;
  }

  /**
   * @param line the iterations that the checkpoint's state has had
   * @param front those that the state has had with which the other ranks go on
   * @param lost ranks that have to come there
   */
  public static FlowPlan of(Inputs inputs, long line, long front, BitSet lost) {
    List<BitSet> needed = new ArrayList<>();
    BitSet of = (BitSet) lost.clone();
    needed.add(of);
    for (long iteration = front - 1; iteration >= line; iteration--) {
      BitSet before = (BitSet) of.clone();
      for (int rank = of.nextSetBit(0); rank >= 0; rank = of.nextSetBit(rank + 1)) {
        for (int input : inputs.of(rank, iteration)) {
          before.set(input);
        }
      }
      needed.addFirst(before);
      of = before;
    }
    return new FlowPlan(line, needed);
  }

  /** The ranks that load the checkpoint. */
  public BitSet loading() {
    return (BitSet) needed.getFirst().clone();
  }

  /** Whose state before an iteration is needed. */
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

  /** The iterations that are computed, of all ranks together. */
  public long computed() {
    return computedBy().values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many of them each rank that loads the checkpoint computes. */
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
    return needed.get((int) (iteration - line));
  }
}
