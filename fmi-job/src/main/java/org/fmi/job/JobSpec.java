package org.fmi.job;

import java.util.Arrays;
import java.util.List;
import org.fmi.spi.RecoveryPolicy;

/**
 * The facts that the decision maker knows of a job from the start.
 *
 * @param size the number of ranks
 * @param room where ranks are placed
 * @param grouping which ranks protect each other
 * @param recovery how the job recovers from failures
 * @param faults failures to inject
 */
public record JobSpec(
    int size, Room room, Grouping grouping, Recovery recovery, List<FaultSpec> faults) {

  /**
   * The nodes for ranks.
   *
   * @param nodes the nodes, in the order of their numbers; nodes without ranks are spares
   * @param ranksPerNode maximum ranks per node, 0 for as many as it has slots
   * @param onNoSpare what to do when a node is lost and no spare is left
   * @param requestsNodes whether more nodes can be requested first
   */
  public record Room(
      List<Node> nodes, int ranksPerNode, OnNoSpare onNoSpare, boolean requestsNodes) {
    public Room {
      nodes = List.copyOf(nodes);
    }

    /** Creates a room without node requests. */
    public Room(List<Node> nodes, int ranksPerNode, OnNoSpare onNoSpare) {
      this(nodes, ranksPerNode, onNoSpare, false);
    }

    private int capacity(Node node) {
      return ranksPerNode > 0 ? Math.min(node.slots(), ranksPerNode) : node.slots();
    }

    /** Whether each rank starts on a dedicated node, and there is more than one rank. */
    public boolean isOneRankPerNode(int ranks) {
      return ranks > 1 && Arrays.stream(placement(ranks)).distinct().count() == ranks;
    }

    /** Returns the node of each rank: nodes are filled in order, each up to its capacity. */
    private int[] placement(int ranks) {
      int[] nodeOf = new int[ranks];
      int next = 0;
      for (int n = 0; n < nodes.size() && next < ranks; n++) {
        if (!nodes.get(n).spare()) {
          for (int k = capacity(nodes.get(n)); k > 0 && next < ranks; k--) {
            nodeOf[next++] = n;
          }
        }
      }
      if (next < ranks) {
        throw new IllegalArgumentException(
            ranks + " ranks do not fit: the nodes that are no spares have " + next + " slots");
      }
      return nodeOf;
    }
  }

  /**
   * The ranks that protect each other.
   *
   * @param size maximum ranks in a checkpoint group
   * @param losses the number of nodes that a group may lose at once, if there are enough nodes
   */
  public record Grouping(int size, int losses) {}

  /**
   * The way the job recovers from failures.
   *
   * @param most maximum number of recoveries
   * @param earlier how many of these jobs have had that this one follows
   * @param mostWithoutProgress maximum number of recoveries in a row without progress between them;
   *     0 for any number
   * @param policy which ranks roll back, and how checkpoints are taken
   */
  public record Recovery(int most, int earlier, int mostWithoutProgress, RecoveryPolicy policy) {
    /** Creates the recovery of a job that follows no other one. */
    public Recovery(int most, int mostWithoutProgress, RecoveryPolicy policy) {
      this(most, 0, mostWithoutProgress, policy);
    }

    /** Returns a recovery in which all ranks roll back to blocking checkpoints. */
    public static Recovery ofAll(int most) {
      return new Recovery(most, 0, RecoveryPolicy.global());
    }
  }

  public JobSpec {
    faults = List.copyOf(faults);
  }

  public List<Node> nodes() {
    return room.nodes;
  }

  /** Returns the number of ranks that a node takes. */
  public int capacity(int node) {
    return capacity(nodes().get(node));
  }

  /** Returns the number of ranks that a node takes. */
  public int capacity(Node node) {
    return room.capacity(node);
  }

  /**
   * Returns the node of each rank at the start.
   *
   * @throws IllegalArgumentException if the nodes have too few slots
   */
  public int[] placement() {
    return room.placement(size);
  }

  /**
   * A node to use.
   *
   * @param name its name for people
   * @param slots the number of ranks it takes
   * @param spare whether it was set aside as a spare
   * @param rack its rack: nodes of one rack may be lost together; empty if unknown
   */
  public record Node(String name, int slots, boolean spare, String rack) {
    /** Creates a node in an unknown rack. */
    public Node(String name, int slots, boolean spare) {
      this(name, slots, spare, "");
    }
  }

  /** Returns the rack of each node; empty if unknown. */
  public List<String> racks() {
    return nodes().stream().map(Node::rack).toList();
  }

  /** The reaction when a node is lost and no spare is left. */
  public enum OnNoSpare {
    /** Retry to start a lost node until one returns. */
    WAIT,
    /** Put its ranks on the surviving nodes, beyond their slots. */
    SHARE,
    /** End the job as one that could not continue. */
    ABORT,
    /** Continue the program with fewer ranks, on the nodes that are left. */
    SHRINK
  }
}
