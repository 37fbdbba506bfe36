package org.fmi.sim.failures;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.fmi.job.Groups;

/**
 * The checkpoint groups of a job with as many ranks on each node, as the decision maker forms them:
 * each rank of a node is in a different group, and all these groups have the same nodes.
 */
public final class Grouping {
  private final int nodes;
  private final int losses;

  /** The first member of the group of each node. */
  private final int[] groupOf;

  private final int leastMembers;
  private final int mostMembers;

  /**
   * Groups of a job.
   *
   * @param size most members of a group, as {@code --group-size}
   * @param losses how many members may be lost, as {@code --group-losses}
   */
  public Grouping(int nodes, int size, int losses) {
    this.nodes = nodes;
    this.losses = losses;
    int[][] groups = Groups.form(IntStream.range(0, nodes).toArray(), size, losses);
    this.groupOf = Arrays.stream(groups).mapToInt(group -> group[0]).toArray();
    this.leastMembers = Arrays.stream(groups).mapToInt(g -> g.length).min().orElse(0);
    this.mostMembers = Arrays.stream(groups).mapToInt(g -> g.length).max().orElse(0);
  }

  /** Members of the smallest group. */
  public int leastMembers() {
    return leastMembers;
  }

  /** Members of the largest group. */
  public int mostMembers() {
    return mostMembers;
  }

  public int losses() {
    return losses;
  }

  public int nodes() {
    return nodes;
  }

  /** A number for the group that a node is in. */
  int groupOf(int node) {
    return groupOf[node];
  }

  /** The share of failures of a kind that all groups survive, if nothing else is lost. */
  public double survived(FailureKind kind) {
    int together = Math.min(kind.nodes(), nodes);
    int places = nodes / together;
    int[] lostOf = new int[nodes];
    int good = 0;
    for (int place = 0; place < places; place++) {
      good += survives(place * together, together, lostOf) ? 1 : 0;
    }
    return (double) good / places;
  }

  /**
   * Whether no group loses more than it survives.
   *
   * @param lostOf zeros, and so again afterwards: there may be a million places
   */
  private boolean survives(int first, int count, int[] lostOf) {
    int end = Math.min(nodes, first + count);
    boolean survives = true;
    for (int n = first; n < end; n++) {
      survives &= ++lostOf[groupOf[n]] <= losses;
    }
    for (int n = first; n < end; n++) {
      lostOf[groupOf[n]] = 0;
    }
    return survives;
  }
}
