package org.fmi.sim.failures;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Failures of a mix on the nodes of a job, and what its checkpoint groups have lost by them. */
public final class NodeFailures implements Failures {
  private final FailureMix mix;
  private final Grouping grouping;
  private final Set<Integer> lost = new HashSet<>();

  /** Lost members by group. */
  private final Map<Integer, Integer> lostOf = new HashMap<>();

  public NodeFailures(FailureMix mix, Grouping grouping) {
    this.mix = mix;
    this.grouping = grouping;
  }

  @Override
  public double rate() {
    return mix.rate(grouping.nodes());
  }

  @Override
  public boolean strike(SplittableRandom random) {
    FailureKind kind = draw(random);
    int together = Math.min(kind.nodes(), grouping.nodes());
    int first = random.nextInt(Math.ceilDiv(grouping.nodes(), together)) * together;
    int end = Math.min(grouping.nodes(), first + together);
    for (int node = first; node < end; node++) {
      // A spare that has taken its place is as bare as it is.
      if (lost.add(node)) {
        lostOf.merge(grouping.groupOf(node), 1, Integer::sum);
      }
    }
    return lostOf.values().stream().allMatch(members -> members <= grouping.losses());
  }

  private FailureKind draw(SplittableRandom random) {
    double at = random.nextDouble() * rate();
    for (FailureKind kind : mix.kinds()) {
      at -= kind.rate(grouping.nodes());
      if (at < 0) {
        return kind;
      }
    }
    return mix.kinds().getLast();
  }

  /** The nodes that were lost since all ran the last time. */
  public Set<Integer> lost() {
    return Collections.unmodifiableSet(lost);
  }

  @Override
  public void healed() {
    lost.clear();
    lostOf.clear();
  }
}
