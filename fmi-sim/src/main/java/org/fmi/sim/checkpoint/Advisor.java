package org.fmi.sim.checkpoint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.fmi.rules.GroupCode;
import org.fmi.sim.failures.FailureKind;
import org.fmi.sim.failures.FailureMix;
import org.fmi.sim.failures.Grouping;
import org.jspecify.annotations.Nullable;

/** Finds checkpoint groups and intervals for a job on a machine: those that lose least time. */
public final class Advisor {
  private static final List<Integer> SIZES = List.of(2, 4, 8, 16, 32, 64);

  /** Of choices that differ by less, the one that needs least memory is best. */
  private static final double AS_GOOD = 0.001;

  private final JobShape job;
  private final Machine machine;
  private final FailureMix mix;
  private final double memoryLimit;

  /**
   * For one job.
   *
   * @param memoryLimit bytes that checkpoints may take on a node
   */
  public Advisor(JobShape job, Machine machine, FailureMix mix, double memoryLimit) {
    this.job = job;
    this.machine = machine;
    this.mix = mix;
    this.memoryLimit = memoryLimit;
  }

  /**
   * All choices that the nodes carry and that fit into memory, by groups and losses.
   *
   * @param size the only group size; 0 for any
   * @param losses the only number of losses; negative for any
   */
  public List<Candidate> candidates(int size, int losses) {
    List<Candidate> all = new ArrayList<>();
    for (int k :
        losses < 0
            ? IntStream.rangeClosed(0, GroupCode.MOST_LOSSES).toArray()
            : new int[] {losses}) {
      // Without a code the size of groups means nothing.
      List<Integer> sizes = size > 0 ? List.of(size) : k == 0 ? List.of(1) : SIZES;
      for (int g : sizes) {
        Candidate candidate = candidate(g, k);
        if (candidate != null && all.stream().noneMatch(other -> isSame(other, candidate))) {
          all.add(candidate);
        }
      }
    }
    return all;
  }

  /**
   * Returns whether two candidates have equal groups: on few nodes, large groups hold all nodes.
   */
  private static boolean isSame(Candidate one, Candidate other) {
    return one.grouping().losses() == other.grouping().losses()
        && one.grouping().mostMembers() == other.grouping().mostMembers();
  }

  private @Nullable Candidate candidate(int size, int losses) {
    if (losses >= job.nodes() || (losses > 0 && size <= losses)) {
      return null;
    }
    Grouping grouping = new Grouping(job.nodes(), size, losses);
    if (losses > 0 && grouping.mostMembers() > GroupCode.mostMembers(losses)) {
      return null;
    }
    int members = grouping.leastMembers();
    double bytes = job.nodeBytes();
    double memoryBytes = 2 * (losses == 0 ? bytes : bytes * members / (members - losses));
    return memoryBytes > memoryLimit ? null : candidate(size, grouping, memoryBytes);
  }

  private Candidate candidate(int size, Grouping grouping, double memoryBytes) {
    double all = mix.rate(job.nodes());
    int losses = grouping.losses();
    // Its restart does not depend on how often it is needed.
    Level memory =
        Level.inMemory(
            machine, job.nodeBytes(), grouping.leastMembers(), losses, Double.POSITIVE_INFINITY);
    double survived = 0;
    for (FailureKind kind : mix.kinds()) {
      survived += losses == 0 ? 0 : kind.rate(job.nodes()) * grouping.survived(kind);
    }
    survived *= 1 - moreLost(grouping, memory.restart());
    double filesMtbf = survived >= all ? Double.POSITIVE_INFINITY : 1 / (all - survived);
    double memoryMtbf = survived == 0 ? Double.POSITIVE_INFINITY : 1 / survived;
    memory = new Level(memory.cost(), memory.latency(), memory.restart(), memoryMtbf);
    Level files =
        machine.filesRate() == 0 ? null : Level.onFiles(machine, job.allBytes(), filesMtbf);
    TwoLevels levels = TwoLevels.best(memory, files);
    return new Candidate(
        size,
        grouping,
        levels,
        memoryMtbf,
        filesMtbf,
        memoryBytes,
        levels.useful(job.workSeconds(), filesMtbf));
  }

  /** Returns the probability that more members of the group are lost before all ranks run again. */
  private double moreLost(Grouping grouping, double seconds) {
    double single = mix.kinds().getFirst().rate(1);
    double mean = single * (grouping.mostMembers() - 1) * seconds;
    // One is lost: so many more are survived. Poisson.
    double term = Math.exp(-mean);
    double fewer = 0;
    for (int k = 0; k < grouping.losses(); k++) {
      fewer += term;
      term *= mean / (k + 1);
    }
    return Math.max(0, 1 - fewer);
  }

  /** The best: of those that lose least, up to a thousandth, the one that needs least memory. */
  public static Candidate best(List<Candidate> candidates) {
    double most = candidates.stream().mapToDouble(Candidate::useful).max().orElse(0);
    return candidates.stream()
        .filter(c -> c.useful() >= most - AS_GOOD)
        .min(Comparator.comparingDouble(Candidate::memoryBytes))
        .orElseThrow(() -> new IllegalArgumentException("there is nothing to choose from"));
  }
}
