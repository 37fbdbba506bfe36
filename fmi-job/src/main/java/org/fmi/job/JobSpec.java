package org.fmi.job;

import java.util.Arrays;
import java.util.List;
import org.fmi.spi.RecoveryPolicy;

/**
 * What the decision maker knows of a job from the start.
 *
 * @param size the number of ranks
 * @param room where ranks are placed
 * @param grouping which ranks protect each other
 * @param recovery how the job goes on after failures
 * @param faults failures to inject
 */
public record JobSpec(
    int size, Room room, Grouping grouping, Recovery recovery, List<FaultSpec> faults) {

  /**
   * Where ranks are placed.
   *
   * @param nodes the nodes, in the order of their numbers; those no rank is placed on are spares
   * @param ranksPerNode most ranks to place on a node, 0 for as many as it has slots
   * @param onNoSpare what to do when a node is lost and no spare is left
   * @param requestsNodes whether more nodes can be asked for before that is done
   */
  public record Room(
      List<Node> nodes, int ranksPerNode, OnNoSpare onNoSpare, boolean requestsNodes) {
    public Room {
      nodes = List.copyOf(nodes);
    }

    /** With no nodes but these. */
    public Room(List<Node> nodes, int ranksPerNode, OnNoSpare onNoSpare) {
      this(nodes, ranksPerNode, onNoSpare, false);
    }

    private int capacity(Node node) {
      return ranksPerNode > 0 ? Math.min(node.slots(), ranksPerNode) : node.slots();
    }

    /** Whether no rank shares a node with another one at the start, and there are others. */
    public boolean isOneRankPerNode(int ranks) {
      return ranks > 1 && Arrays.stream(placement(ranks)).distinct().count() == ranks;
    }

    /** The node of each rank: nodes are filled in their order, each up to its capacity. */
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
   * Which ranks protect each other.
   *
   * @param size most ranks in a checkpoint group
   * @param losses how many nodes a group may lose at once, as far as the nodes allow
   */
  public record Grouping(int size, int losses) {}

  /**
   * How the job goes on after failures.
   *
   * @param most end the job rather than recover more often than this
   * @param policy which ranks roll back, and how checkpoints are taken
   */
  public record Recovery(int most, RecoveryPolicy policy) {
    /** All ranks roll back, to checkpoints that all wait for. */
    public static Recovery ofAll(int most) {
      return new Recovery(most, RecoveryPolicy.global());
    }
  }

  public JobSpec {
    faults = List.copyOf(faults);
  }

  public List<Node> nodes() {
    return room.nodes;
  }

  /** How many ranks a node takes. */
  public int capacity(int node) {
    return capacity(nodes().get(node));
  }

  /** How many ranks a node takes. */
  public int capacity(Node node) {
    return room.capacity(node);
  }

  /**
   * The node of each rank at the start.
   *
   * @throws IllegalArgumentException if the nodes have too few slots
   */
  public int[] placement() {
    return room.placement(size);
  }

  /**
   * A node to use.
   *
   * @param name what people call it
   * @param slots how many ranks it takes
   * @param spare whether it was set aside as a spare
   * @param rack where it stands: nodes of one rack may be lost together; empty if not known
   */
  public record Node(String name, int slots, boolean spare, String rack) {
    /** In a rack that is not known. */
    public Node(String name, int slots, boolean spare) {
      this(name, slots, spare, "");
    }
  }

  /** The rack of each node; empty if not known. */
  public List<String> racks() {
    return nodes().stream().map(Node::rack).toList();
  }

  /** What to do when a node is lost and no spare is left. */
  public enum OnNoSpare {
    /** Try to start a lost node again until one comes back. */
    WAIT,
    /** Put its ranks on the surviving nodes, beyond their slots. */
    SHARE,
    /** End the job as one that could not go on. */
    ABORT
  }
}
