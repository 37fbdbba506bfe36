package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Forms checkpoint groups: the ranks whose checkpoints protect each other sit on different nodes,
 * so that the loss of a node costs a group no more than one member.
 *
 * <p>A group survives the loss of k members only if it has more than k. Dealing out the ranks, node
 * by node, to as many groups as the fullest node has ranks makes the largest groups that there can
 * be; so k can be carried if n ranks are at least k+1 times those of the fullest node.
 */
public final class Groups {
  private Groups() {}

  /**
   * The most losses per group that ranks can carry.
   *
   * @param nodeOf node of each rank
   * @param wanted most losses that are of use
   */
  public static int carried(int[] nodeOf, int wanted) {
    return Math.clamp(nodeOf.length / fullest(nodeOf) - 1L, 0, wanted);
  }

  /**
   * Groups of at most {@code size} ranks, of sizes as even as possible, and of more than {@code
   * losses}, if the nodes can carry that; else of more than they can carry.
   *
   * @param nodeOf node of each rank
   * @return for each rank the ascending world ranks of its group
   */
  public static int[][] form(int[] nodeOf, int size, int losses) {
    int least = carried(nodeOf, losses) + 1;
    int[] nodes = IntStream.of(nodeOf).distinct().sorted().toArray();
    List<int[]> groups = List.of();
    // Parts of the nodes, each with groups of its own. One part is enough for what can be carried.
    for (int parts = Math.ceilDiv(nodes.length, size); groups.isEmpty(); parts--) {
      groups = groups(nodeOf, nodes, parts);
      if (parts > 1 && groups.stream().anyMatch(group -> group.length < least)) {
        groups = List.of();
      }
    }
    int[][] result = new int[nodeOf.length][];
    for (int[] group : groups) {
      for (int member : group) {
        result[member] = group;
      }
    }
    return result;
  }

  private static List<int[]> groups(int[] nodeOf, int[] nodes, int parts) {
    List<int[]> groups = new ArrayList<>();
    for (int p = 0; p < parts; p++) {
      int first = nodes[p * nodes.length / parts];
      int last = nodes[(p + 1) * nodes.length / parts - 1];
      int[] ranks =
          IntStream.range(0, nodeOf.length)
              .filter(rank -> nodeOf[rank] >= first && nodeOf[rank] <= last)
              .boxed()
              .sorted(Comparator.comparingInt(rank -> nodeOf[rank]))
              .mapToInt(Integer::intValue)
              .toArray();
      groups.addAll(deal(ranks, fullest(IntStream.of(ranks).map(r -> nodeOf[r]).toArray())));
    }
    return groups;
  }

  /** Ranks in the order of their nodes, none of which has more of them than there are groups. */
  private static List<int[]> deal(int[] ranks, int count) {
    List<int[]> groups = new ArrayList<>();
    for (int g = 0; g < count; g++) {
      int first = g;
      groups.add(
          IntStream.iterate(first, i -> i < ranks.length, i -> i + count)
              .map(i -> ranks[i])
              .sorted()
              .toArray());
    }
    return groups;
  }

  /** How many ranks are on the node with most of them. */
  private static int fullest(int[] nodeOf) {
    int[] load = new int[Arrays.stream(nodeOf).max().orElse(0) + 1];
    int most = 1;
    for (int node : nodeOf) {
      most = Math.max(most, ++load[node]);
    }
    return most;
  }
}
