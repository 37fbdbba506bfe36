package org.fmi.job;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Forms checkpoint groups. The ranks that protect each other's checkpoints are on different nodes,
 * so that the loss of a node costs a group at most one member.
 *
 * <p>A group survives the loss of k members only if it has more than k. Dealing out the ranks, node
 * by node, to as many groups as the fullest node has ranks gives the largest possible groups; so k
 * losses can be survived if n is at least k+1 times the number of ranks on the fullest node.
 */
public final class Groups {
  private Groups() {}

  /**
   * Returns the number of losses per group that ranks can survive.
   *
   * @param nodeOf node of each rank
   * @param wanted maximum losses of interest
   */
  public static int carried(int[] nodeOf, int wanted) {
    int fullest = Math.max(1, IntStream.of(loads(nodeOf)).max().orElse(1));
    return carried(nodeOf.length, fullest, wanted);
  }

  private static int carried(int ranks, int fullest, int wanted) {
    return Math.clamp(ranks / fullest - 1L, 0, wanted);
  }

  /**
   * Forms groups where no racks are known, like {@link #form(int[], List, int, int)}.
   *
   * @param nodeOf node of each rank
   */
  public static int[][] form(int[] nodeOf, int size, int losses) {
    return form(nodeOf, List.of(), size, losses);
  }

  /**
   * Forms groups of at most {@code size} ranks, of sizes as even as possible, each larger than
   * {@code losses}, if the nodes allow that; otherwise larger than the losses they can survive.
   * Where racks are known, the members of a group are spread over as many racks as possible.
   *
   * @param nodeOf node of each rank
   * @param rackOf rack of each node; an entry may be empty, and the last ones may be missing
   * @return for each rank the ascending world ranks of its group
   */
  public static int[][] form(int[] nodeOf, List<String> rackOf, int size, int losses) {
    return form(nodeOf.length, rank -> nodeOf[rank], rackOf, size, losses);
  }

  /**
   * Does the same. It is one decision for up to a million ranks: each is looked at once, and put
   * into its group once.
   */
  static int[][] form(
      int ranks, IntUnaryOperator nodeOf, List<String> rackOf, int size, int losses) {
    int[] nodes = new int[ranks];
    Arrays.setAll(nodes, nodeOf);
    int[][] ranksOf = byNode(nodes);
    int least = carried(ranks, fullest(ranksOf), losses) + 1;
    int[] used = IntStream.range(0, ranksOf.length).filter(n -> ranksOf[n].length > 0).toArray();
    boolean racks = areInSeveralRacks(used, rackOf);
    int[] inOrder = racks ? byRack(used, rackOf) : used;
    // Parts of the nodes with groups of their own. One part is enough for the losses that can be
    // survived.
    int count = Math.ceilDiv(used.length, size);
    int[][] parts = parts(inOrder, count, racks);
    while (count > 1 && smallest(ranksOf, parts) < least) {
      count--;
      parts = parts(inOrder, count, racks);
    }
    int[][] result = new int[ranks][];
    for (int[] part : parts) {
      deal(ranksOf, part, result);
    }
    return result;
  }

  /** Returns the ascending ranks of each node, up to the last one with ranks. */
  private static int[][] byNode(int[] nodeOf) {
    int[] load = loads(nodeOf);
    int[][] ranksOf = new int[load.length][];
    for (int node = 0; node < load.length; node++) {
      ranksOf[node] = new int[load[node]];
    }
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

  private static boolean areInSeveralRacks(int[] nodes, List<String> rackOf) {
    for (int node : nodes) {
      if (!rack(node, rackOf).equals(rack(nodes[0], rackOf))) {
        return true;
      }
    }
    return false;
  }

  /** Sorts nodes by rack, and by number within a rack. */
  private static int[] byRack(int[] nodes, List<String> rackOf) {
    return IntStream.of(nodes)
        .boxed()
        .sorted(Comparator.comparing(n -> rack(n, rackOf)))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /**
   * Divides nodes into parts of sizes as even as possible.
   *
   * @param spread whether neighbours go to different parts; otherwise they stay together
   */
  private static int[][] parts(int[] nodes, int parts, boolean spread) {
    int[][] result = new int[parts][];
    for (int p = 0; p < parts; p++) {
      result[p] =
          spread
              ? each(nodes, p, parts)
              : Arrays.copyOfRange(
                  nodes, begin(p, parts, nodes.length), begin(p + 1, parts, nodes.length));
    }
    return result;
  }

  private static int begin(int part, int parts, int nodes) {
    return (int) ((long) part * nodes / parts);
  }

  /** Returns every step-th node. */
  private static int[] each(int[] all, int first, int step) {
    int[] some = new int[Math.ceilDiv(all.length - first, step)];
    for (int i = 0; i < some.length; i++) {
      some[i] = all[first + i * step];
    }
    return some;
  }

  /** Returns the size of the smallest group of any part. */
  private static int smallest(int[][] ranksOf, int[][] parts) {
    int smallest = Integer.MAX_VALUE;
    for (int[] part : parts) {
      int ranks = 0;
      int groups = 1;
      for (int node : part) {
        ranks += ranksOf[node].length;
        groups = Math.max(groups, ranksOf[node].length);
      }
      smallest = Math.min(smallest, ranks / groups);
    }
    return smallest;
  }

  /**
   * Deals out the ranks of some nodes, node by node, to as many groups as the fullest of them has
   * ranks.
   */
  private static void deal(int[][] ranksOf, int[] nodes, int[][] groupOf) {
    int groups = 1;
    int count = 0;
    for (int node : nodes) {
      groups = Math.max(groups, ranksOf[node].length);
      count += ranksOf[node].length;
    }
    int[] ranks = new int[count];
    int at = 0;
    for (int node : nodes) {
      System.arraycopy(ranksOf[node], 0, ranks, at, ranksOf[node].length);
      at += ranksOf[node].length;
    }
    for (int g = 0; g < groups; g++) {
      int[] group = each(ranks, g, groups);
      Arrays.sort(group);
      for (int member : group) {
        groupOf[member] = group;
      }
    }
  }

  /**
   * Whether groups survive the loss of any one rack with all its nodes.
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

  /** Returns the number of ranks on the fullest node. */
  private static int fullest(int[][] ranksOf) {
    int fullest = 1;
    for (int[] ranks : ranksOf) {
      fullest = Math.max(fullest, ranks.length);
    }
    return fullest;
  }

  /** Returns the number of ranks on each node, up to the last one with ranks. */
  private static int[] loads(int[] nodeOf) {
    int last = 0;
    for (int node : nodeOf) {
      last = Math.max(last, node);
    }
    int[] load = new int[last + 1];
    for (int node : nodeOf) {
      load[node]++;
    }
    return load;
  }
}
