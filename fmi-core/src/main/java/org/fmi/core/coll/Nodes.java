package org.fmi.core.coll;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.fmi.Datatype;
import org.fmi.Op;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.spi.NodeShare;
import org.jspecify.annotations.Nullable;

/**
 * The ranks of a channel by node, where some share one and not all do: the ranks of a node have a
 * {@link SharedRegion}, and one of them speaks for the node in messages to others. Lives for one
 * epoch.
 *
 * <pre>
 *   node 0          node 1          region:    {0 1 2}  {3 4 5}
 *   0 1 2           3 4 5           speakers:  {0 3}
 * </pre>
 */
final class Nodes {
  private final Channel all;

  /** The node of each rank, counted from 0 in the order of the nodes' lowest ranks. */
  private final int[] nodeOf;

  /** The ranks of each node. */
  private final int[][] members;

  /** Null if this rank is alone on its node. */
  private final @Nullable SharedRegion region;

  /** How many ranks each node has, if all have as many, in a row; else 0. */
  private final int each;

  private final Channel speakers;

  /** By the rank that speaks for its node. */
  private final @Nullable Channel[] speakersWith;

  private Nodes(Channel all, int[] nodeOf, int[][] members, @Nullable SharedRegion region) {
    this.all = all;
    this.nodeOf = nodeOf;
    this.members = members;
    this.region = region;
    this.each = inBlocks(nodeOf, members[0].length) ? members[0].length : 0;
    this.speakersWith = new Channel[nodeOf.length];
    this.speakers = speakersWith(members[0][0]);
  }

  /** The ranks of each node, ascending; in one pass, as there may be very many of both. */
  private static int[][] membersOf(int[] nodeOf, int nodes) {
    int[] counts = new int[nodes];
    for (int node : nodeOf) {
      counts[node]++;
    }
    int[][] members = new int[nodes][];
    Arrays.setAll(members, node -> new int[counts[node]]);
    for (int r = nodeOf.length - 1; r >= 0; r--) {
      members[nodeOf[r]][--counts[nodeOf[r]]] = r;
    }
    return members;
  }

  /**
   * Makes the regions; collective over the ranks of the channel.
   *
   * @param numbers of the ranks' nodes, any, but the same at all ranks
   * @return null at all ranks if a region could not be made
   */
  static @Nullable Nodes open(
      Channel all, PointToPoint p2p, NodeShare share, int[] worldRanks, int[] numbers, int key) {
    Map<Integer, Integer> nodeByNumber = new HashMap<>();
    int[] nodeOf = new int[numbers.length];
    for (int r = 0; r < numbers.length; r++) {
      nodeOf[r] = nodeByNumber.computeIfAbsent(numbers[r], _ -> nodeByNumber.size());
    }
    int[][] members = membersOf(nodeOf, nodeByNumber.size());
    int[] mine = members[nodeOf[all.rank()]];
    @Nullable SharedRegion region = null;
    int[] ok = {1};
    if (mine.length > 1) {
      Channel node = all.of(mine);
      int[] world = Arrays.stream(mine).map(r -> worldRanks[r]).toArray();
      region = SharedRegion.open(node, p2p, share, world, key);
      ok[0] = region == null ? 0 : 1;
    }
    Location agreed = new Location(ok, 0);
    Reducer min = Reducer.of(Op.MIN, Datatype.INT);
    RecursiveDoublingAllReduce.run(all, min, agreed, agreed, Integer.BYTES);
    if (ok[0] != 0) {
      return new Nodes(all, nodeOf, members, region);
    }
    if (region != null) {
      region.close();
    }
    return null;
  }

  private static boolean inBlocks(int[] nodeOf, int each) {
    if (nodeOf.length % each != 0) {
      return false;
    }
    for (int r = 0; r < nodeOf.length; r++) {
      if (nodeOf[r] != r / each) {
        return false;
      }
    }
    return true;
  }

  /** Null if this rank is alone on its node. */
  @Nullable SharedRegion region() {
    return region;
  }

  /** The number of this rank's node. */
  int node() {
    return nodeOf[all.rank()];
  }

  int nodeOf(int rank) {
    return nodeOf[rank];
  }

  /** The rank that speaks for a node where nothing else is said: its lowest one. */
  private int speaker(int node) {
    return members[node][0];
  }

  boolean speaks() {
    return isSpeaker(all.rank());
  }

  /** Whether a rank is the one that speaks for its node where nothing else is said. */
  boolean isSpeaker(int rank) {
    return speaker(nodeOf[rank]) == rank;
  }

  /**
   * Messages between those that speak for the nodes, whose numbers are the ranks there; for them
   * only.
   */
  Channel speakers() {
    return speakers;
  }

  /**
   * The same where {@code rank} speaks for its node; the rank there is -1 for who does not speak.
   */
  Channel speakersWith(int rank) {
    Channel made = speakersWith[rank];
    if (made == null) {
      int[] ranks = new int[members.length];
      for (int node = 0; node < ranks.length; node++) {
        ranks[node] = node == nodeOf[rank] ? rank : speaker(node);
      }
      made = all.of(ranks);
      speakersWith[rank] = made;
    }
    return made;
  }

  /** An array for what a node's ranks have combined. */
  Location sum(Reducer reducer, long bytes) {
    return all.scratch(reducer, Scratch.Use.SUM, bytes);
  }

  /**
   * Where in its node's region the rank is that speaks for this node, if {@code rank} does for its.
   */
  int place(int rank) {
    return node() == nodeOf[rank] ? Arrays.binarySearch(members[node()], rank) : 0;
  }

  /**
   * Whether recursive doubling among all ranks combines within the nodes first, and so does the
   * same as a reduction by node: each has the same power of two of ranks that follow each other,
   * and all ranks are a power of two.
   */
  boolean aligned() {
    return Integer.bitCount(each) == 1 && Integer.bitCount(nodeOf.length) == 1;
  }

  /** Whether the ranks of a node combine operands of this length in one piece, if they must. */
  boolean fit(Reducer reducer, long bytes) {
    return region == null || SharedOperands.fit(region, reducer, bytes);
  }

  /**
   * How many ranks each node has, so that the data of a node's ranks are one block of the data of
   * all; 0 if they are spread in another way.
   */
  int ranksInBlock() {
    return each;
  }

  /**
   * Where the rank that speaks for this node, if {@code root} does for its, has its node's block.
   *
   * @param all where the root has the data of all ranks
   * @param mine where another rank has its own
   * @param blockBytes of each node's block
   * @return null at ranks that do not speak
   */
  @Nullable Location block(
      @Nullable Location all, @Nullable Location mine, long blockBytes, int root) {
    if (this.all.rank() == root) {
      return Collectives.required(all).plus(node() * blockBytes);
    }
    return speakersWith(root).rank() < 0 ? null : Collectives.required(mine).scratch(blockBytes);
  }
}
