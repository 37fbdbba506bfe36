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
 * The ranks of a channel by node, if some but not all of them share a node. The ranks of a node
 * have a {@link SharedRegion}, and one of them, its speaker, exchanges messages for the node. Lives
 * for one epoch.
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

  /**
   * The number of ranks of each node, if it is the same on all nodes and they are consecutive; else
   * 0.
   */
  private final int each;

  private final Channel speakers;

  /** By the rank that is its node's speaker. */
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

  /** The ranks of each node, ascending. Takes one pass, as there may be many ranks and nodes. */
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
   * Creates the regions; collective over the ranks of the channel.
   *
   * @param numbers the nodes of the ranks, as any numbers that are the same at all ranks
   * @return null at all ranks if a region could not be created
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

  /** The region of this rank's node; null if this rank is alone on it. */
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

  /** The default speaker of a node: its lowest rank. */
  private int speaker(int node) {
    return members[node][0];
  }

  boolean speaks() {
    return isSpeaker(all.rank());
  }

  /** Whether a rank is its node's default speaker. */
  boolean isSpeaker(int rank) {
    return speaker(nodeOf[rank]) == rank;
  }

  /**
   * Messages between the nodes' speakers, for speakers only; a speaker's rank is its node's number.
   */
  Channel speakers() {
    return speakers;
  }

  /**
   * The speakers' channel with {@code rank} as the speaker of its node. The own rank is -1 if it is
   * not a speaker.
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

  /** An array for the combined operands of a node's ranks. */
  Location sum(Reducer reducer, long bytes) {
    return all.scratch(reducer, Scratch.Use.SUM, bytes);
  }

  /**
   * The rank in its node's region of this node's speaker, with {@code rank} as the speaker of its
   * own node.
   */
  int place(int rank) {
    return node() == nodeOf[rank] ? Arrays.binarySearch(members[node()], rank) : 0;
  }

  /**
   * Whether recursive doubling among all ranks combines within nodes first, and so does the same as
   * a reduction by node: each node has the same power of two of consecutive ranks, and the total is
   * a power of two.
   */
  boolean aligned() {
    return Integer.bitCount(each) == 1 && Integer.bitCount(nodeOf.length) == 1;
  }

  /**
   * Whether the ranks of a node can combine operands of this length in one piece, if they have to.
   */
  boolean fit(Reducer reducer, long bytes) {
    return region == null || SharedOperands.fit(region, reducer, bytes);
  }

  /** The number of ranks per node if each node's data is one block of all data; else 0. */
  int ranksInBlock() {
    return each;
  }

  /**
   * The location of this node's block at its speaker, with {@code root} as the speaker of its own
   * node.
   *
   * @param all the data of all ranks; used at the root
   * @param mine the data of this rank; used at other ranks
   * @param blockBytes the size of each node's block
   * @return null at ranks that are no speakers
   */
  @Nullable Location block(
      @Nullable Location all, @Nullable Location mine, long blockBytes, int root) {
    if (this.all.rank() == root) {
      return Collectives.required(all).plus(node() * blockBytes);
    }
    return speakersWith(root).rank() < 0 ? null : Collectives.required(mine).scratch(blockBytes);
  }
}
