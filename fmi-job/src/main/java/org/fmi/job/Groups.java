package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
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
    int fullest = Math.max(1, IntStream.of(loads(nodeOf)).max().orElse(1));
    return carried(nodeOf.length, fullest, wanted);
  }

  private static int carried(int ranks, int fullest, int wanted) {
    return Math.clamp(ranks / fullest - 1L, 0, wanted);
  }

  /**
   * Groups where no racks are known; as {@link #form(int[], List, int, int)} forms them.
   *
   * @param nodeOf node of each rank
   */
  public static int[][] form(int[] nodeOf, int size, int losses) {
    return form(nodeOf, List.of(), size, losses);
  }

  /**
   * Groups of at most {@code size} ranks, of sizes as even as possible, and of more than {@code
   * losses}, if the nodes can carry that; else of more than they can carry. Where racks are known,
   * the members of a group are in as many of them as possible.
   *
   * @param nodeOf node of each rank
   * @param rackOf rack of each node; it may be empty, and be missing for the last ones
   * @return for each rank the ascending world ranks of its group
   */
  public static int[][] form(int[] nodeOf, List<String> rackOf, int size, int losses) {
    return form(nodeOf.length, rank -> nodeOf[rank], rackOf, size, losses);
  }

  /**
   * The same. There may be many thousands of nodes: each rank is looked at once, not once per node.
   */
  static int[][] form(
      int ranks, IntUnaryOperator nodeOf, List<String> rackOf, int size, int losses) {
    int[][] ranksOf = byNode(IntStream.range(0, ranks).map(nodeOf).toArray());
    int least = carried(ranks, fullest(ranksOf), losses) + 1;
    int[] used = IntStream.range(0, ranksOf.length).filter(n -> ranksOf[n].length > 0).toArray();
    int[] nodes = byRack(used, rackOf);
    boolean racks = IntStream.of(nodes).mapToObj(n -> rack(n, rackOf)).distinct().count() > 1;
    List<int[]> groups = List.of();
    // Parts of the nodes, each with groups of its own. One part is enough for what can be carried.
    for (int parts = Math.ceilDiv(nodes.length, size); groups.isEmpty(); parts--) {
      groups = groups(ranksOf, parts(nodes, parts, racks));
      if (parts > 1 && groups.stream().anyMatch(group -> group.length < least)) {
        groups = List.of();
      }
    }
    int[][] result = new int[ranks][];
    for (int[] group : groups) {
      for (int member : group) {
        result[member] = group;
      }
    }
    return result;
  }

  /** The ascending ranks of each node, up to the last one that has any. */
  private static int[][] byNode(int[] nodeOf) {
    int[] load = loads(nodeOf);
    int[][] ranksOf = IntStream.of(load).mapToObj(int[]::new).toArray(int[][]::new);
    Arrays.fill(load, 0);
    for (int rank = 0; rank < nodeOf.length; rank++) {
      int node = nodeOf[rank];
      ranksOf[node][load[node]++] = rank;
    }
    return ranksOf;
  }

  private static String rack(int node, List<String> rackOf) {
    return node < rackOf.size() ? rackOf.get(node) : "";
  }

  /** Nodes of one rack beside each other, in the order of their numbers. */
  private static int[] byRack(int[] nodes, List<String> rackOf) {
    return IntStream.of(nodes)
        .boxed()
        .sorted(Comparator.comparing(n -> rack(n, rackOf)))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /**
   * Parts of the nodes, of sizes as even as possible.
   *
   * @param spread whether neighbours go to different parts; else they stay together
   */
  private static List<int[]> parts(int[] nodes, int parts, boolean spread) {
    List<int[]> result = new ArrayList<>();
    for (int p = 0; p < parts; p++) {
      int part = p;
      result.add(
          spread
              ? IntStream.iterate(part, i -> i < nodes.length, i -> i + parts)
                  .map(i -> nodes[i])
                  .toArray()
              : Arrays.copyOfRange(
                  nodes, begin(part, parts, nodes.length), begin(part + 1, parts, nodes.length)));
    }
    return result;
  }

  private static int begin(int part, int parts, int nodes) {
    return (int) ((long) part * nodes / parts);
  }

  private static List<int[]> groups(int[][] ranksOf, List<int[]> parts) {
    List<int[]> groups = new ArrayList<>();
    for (int[] part : parts) {
      int[][] byNode = IntStream.of(part).mapToObj(node -> ranksOf[node]).toArray(int[][]::new);
      int[] ranks = Arrays.stream(byNode).flatMapToInt(IntStream::of).toArray();
      groups.addAll(deal(ranks, fullest(byNode)));
    }
    return groups;
  }

  /**
   * Whether the loss of any one rack, with all nodes in it, is survived.
   *
   * @param nodeOf node of each rank
   * @param rackOf rack of each node
   */
  public static boolean surviveRacks(
      int[] nodeOf, List<String> rackOf, int[][] groups, int losses) {
    for (int[] group : groups) {
      for (int member : group) {
        String rack = rack(nodeOf[member], rackOf);
        long together =
            IntStream.of(group).filter(other -> rack(nodeOf[other], rackOf).equals(rack)).count();
        if (rack.isEmpty() || together > Math.min(losses, group.length - 1)) {
          return false;
        }
      }
    }
    return true;
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
  private static int fullest(int[][] ranksOf) {
    return Math.max(1, Arrays.stream(ranksOf).mapToInt(ranks -> ranks.length).max().orElse(1));
  }

  /** How many ranks are on each node, up to the last one that has any. */
  private static int[] loads(int[] nodeOf) {
    int[] load = new int[Arrays.stream(nodeOf).max().orElse(0) + 1];
    for (int node : nodeOf) {
      load[node]++;
    }
    return load;
  }
}
