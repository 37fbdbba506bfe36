package org.fmi.job;

import java.util.ArrayList;
import java.util.List;

/**
 * Forms checkpoint groups: the ranks whose checkpoints protect each other sit on different nodes,
 * so that the loss of a node costs a group no more than one member.
 */
public final class Groups {
  private Groups() {}

  /**
   * Groups of at most {@code size} ranks, of sizes as even as possible.
   *
   * @param nodeOf node of each rank
   * @return for each rank the ascending world ranks of its group
   */
  public static int[][] form(int[] nodeOf, int size) {
    // Column j holds the j-th rank of every node: any part of it has all its members on different
    // nodes.
    List<List<Integer>> columns = new ArrayList<>();
    int nodes = 0;
    for (int node : nodeOf) {
      nodes = Math.max(nodes, node + 1);
    }
    int[] seen = new int[nodes];
    for (int rank = 0; rank < nodeOf.length; rank++) {
      int j = seen[nodeOf[rank]]++;
      if (j == columns.size()) {
        columns.add(new ArrayList<>());
      }
      columns.get(j).add(rank);
    }
    List<List<Integer>> groups = new ArrayList<>();
    for (List<Integer> column : columns) {
      int parts = (column.size() + size - 1) / size;
      for (int p = 0; p < parts; p++) {
        groups.add(
            new ArrayList<>(
                column.subList(p * column.size() / parts, (p + 1) * column.size() / parts)));
      }
    }
    joinLoners(groups, nodeOf);
    int[][] result = new int[nodeOf.length][];
    for (List<Integer> group : groups) {
      int[] members = group.stream().mapToInt(Integer::intValue).sorted().toArray();
      for (int member : members) {
        result[member] = members;
      }
    }
    return result;
  }

  /**
   * A group of one protects nothing: its rank joins the smallest group that has nobody on its node.
   */
  private static void joinLoners(List<List<Integer>> groups, int[] nodeOf) {
    for (int i = groups.size() - 1; i >= 0; i--) {
      if (groups.get(i).size() != 1) {
        continue;
      }
      int loner = groups.get(i).getFirst();
      List<Integer> best = null;
      for (List<Integer> g : groups) {
        if (!g.contains(loner)
            && (best == null || g.size() < best.size())
            && g.stream().noneMatch(r -> nodeOf[r] == nodeOf[loner])) {
          best = g;
        }
      }
      if (best != null) {
        best.add(loner);
        groups.remove(i);
      }
    }
  }
}
