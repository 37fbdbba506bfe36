package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.fmi.job.control.ToDaemon;

/**
 * The node of each rank, and the choice of a node for a rank that needs one. The set of nodes can
 * grow.
 *
 * <p>The checkpoints of a rank are in the memory of its node. If the rank moves to another node,
 * its group must rebuild them there, which it can do for a few members at a time. So a rank leaves
 * a live node only if no more members of its group than that would be without checkpoints. What it
 * leaves stays until all ranks run again. If its group loses more members meanwhile than it can
 * rebuild, it returns: then the node that it has left is the only one with its checkpoints.
 * Otherwise it returns before the next checkpoint only if there is no other place.
 */
final class Placement {
  private static final int NOWHERE = -1;

  /** The number of daemons that take over a node's memory before it is given up. */
  private static final int RESTARTS = 3;

  /** The outcome of the search for a node. */
  sealed interface Choice {
    /**
     * A node.
     *
     * @param beyondSlots whether the node takes more ranks than it has slots
     */
    record At(int node, boolean beyondSlots) implements Choice {}

    /** Possibly a node that is still starting, silent or returning. */
    record Later() implements Choice {}

    /** A node that is being requested. */
    record WhenOneIsGranted() implements Choice {}

    /** A lost node that returns. */
    record WhenOneReturns() implements Choice {}

    /** No node: the program continues with fewer ranks. */
    record Fewer() implements Choice {}

    /** No node. */
    record Nowhere(EndCause cause, String message) implements Choice {}
  }

  /** The nodes that qualify for a rank. */
  private enum Search {
    /**
     * Nodes with a free slot that are not about to be lost, that other nodes hear, and that the
     * rank has not left.
     */
    FREE_TO_STAY,
    /** Nodes with a free slot that the rank has not left. */
    FREE_AND_NEW,
    /** Nodes with a free slot. */
    FREE,
    /** All nodes that are up. */
    ANY
  }

  private final JobSpec spec;
  private final List<PlacedNode> nodes;
  private final int[] nodeOf;

  /** Ranks without checkpoints on their node, since all ranks last ran. */
  private final BitSet bare = new BitSet();

  /** Ranks of {@link #bare} whose checkpoints may have been rebuilt on their node. */
  private final BitSet rebuilt = new BitSet();

  /** Ranks that have come to a node which has nothing of use to them, until they start there. */
  private final BitSet arrived = new BitSet();

  /** Formed when the first processes start. */
  private int[][] groups = {};

  /** The node that a rank has left and that still holds its newest checkpoints, by rank. */
  private final int[] home;

  /** Ranks whose {@link #home} may lack them, as they were being rebuilt there. */
  private final BitSet doubtful = new BitSet();

  /** Number of ranks that have left some node since the newest checkpoint was committed. */
  private int left;

  private int launching;

  /** Number of nodes that are silent or returning. */
  private int silent;

  /**
   * Number of nodes with ranks that are not up. A counter, because nodes come up by the thousand
   * and each asks.
   */
  private int missing;

  /** Number of nodes with more ranks than slots. A counter, because each checkpoint asks. */
  private int crowded;

  /** The size of a rank's newest checkpoint, if known. */
  private long imageBytes;

  /**
   * Assigns the ranks to nodes that are still to be started.
   *
   * @throws IllegalArgumentException if the nodes have too few slots
   */
  Placement(JobSpec spec) {
    this(spec, new ArrayList<>());
  }

  /**
   * @param nodes an empty list, which may count accesses to nodes
   */
  Placement(JobSpec spec, List<PlacedNode> nodes) {
    this.spec = spec;
    this.nodes = nodes;
    for (JobSpec.Node node : spec.nodes()) {
      add(node);
    }
    this.nodeOf = new int[spec.size()];
    Arrays.fill(nodeOf, NOWHERE);
    this.home = nodeOf.clone();
    int[] plan = spec.placement();
    for (int r = 0; r < plan.length; r++) {
      put(r, plan[r], false);
    }
  }

  /** Adds a node that is still to be started; returns its number. */
  int add(JobSpec.Node node) {
    nodes.add(new PlacedNode(node.name(), spec.capacity(node), node.rack()));
    launching++;
    return nodes.size() - 1;
  }

  // ---- queries

  int nodes() {
    return nodes.size();
  }

  String name(int node) {
    return nodes.get(node).name;
  }

  /** Returns the node of a rank, or a negative number if it has none. */
  int nodeOf(int rank) {
    return nodeOf[rank];
  }

  /** Returns the number of the node with this name, or a negative number if there is none. */
  int find(String name) {
    for (int n = 0; n < nodes.size(); n++) {
      if (nodes.get(n).name.equals(name)) {
        return n;
      }
    }
    return NOWHERE;
  }

  /** Returns the number of ranks that a node takes. */
  int capacity(int node) {
    return nodes.get(node).capacity;
  }

  /** Returns the largest number of slots of a node. */
  int mostSlots() {
    return nodes.stream().mapToInt(node -> node.capacity).max().orElse(1);
  }

  int load(int node) {
    return nodes.get(node).load();
  }

  /** Returns the rack of a node; empty if unknown. */
  String rack(int node) {
    return nodes.get(node).rack;
  }

  /** Returns the nodes that are up, ascending. */
  List<Integer> up() {
    List<Integer> up = new ArrayList<>();
    for (int n = 0; n < nodes.size(); n++) {
      if (isUp(n)) {
        up.add(n);
      }
    }
    return up;
  }

  int[] group(int rank) {
    return groups[rank];
  }

  boolean isUp(int node) {
    return nodes.get(node).state == PlacedNode.State.UP;
  }

  boolean isReturning(int node) {
    return nodes.get(node).state == PlacedNode.State.RETURNING;
  }

  /** Whether a node is silent or returning. */
  boolean mayReturn(int node) {
    return mayReturn(nodes.get(node).state);
  }

  boolean isLost(int node) {
    return nodes.get(node).state == PlacedNode.State.LOST;
  }

  /** Returns the ranks on a node, ascending. */
  List<Integer> ranksOn(int node) {
    return List.copyOf(nodes.get(node).ranks);
  }

  /**
   * Returns another rank of the same group on the node of a rank, if there are more of them than
   * the group may lose; otherwise a negative number.
   */
  int partnerOf(int rank) {
    int partner = NOWHERE;
    int together = 0;
    for (int other : groups[rank]) {
      if (nodeOf[other] == nodeOf[rank]) {
        together++;
        partner = other == rank ? partner : other;
      }
    }
    return tolerance(rank) > 0 && together > tolerance(rank) ? partner : NOWHERE;
  }

  /** Returns the number of members that a rank's group may lose at once. */
  private int tolerance(int rank) {
    return Math.min(spec.grouping().losses(), groups[rank].length - 1);
  }

  /** Returns the number of losses that every group survives, once groups are formed. */
  int groupLosses() {
    return Groups.carried(nodeOf, spec.grouping().losses());
  }

  /** Returns the number of nodes with ranks. */
  int used() {
    return (int) nodes.stream().filter(node -> node.load() > 0).count();
  }

  /** Returns the number of nodes without ranks that are not lost. */
  int spares() {
    return (int)
        nodes.stream()
            .filter(node -> node.load() == 0 && node.state != PlacedNode.State.LOST)
            .count();
  }

  // ---- changes of nodes

  /**
   * Marks a node as up.
   *
   * @param memoryFree free bytes for checkpoints
   * @return false if it already was
   */
  boolean up(int number, long memoryFree) {
    PlacedNode node = nodes.get(number);
    if (node.state == PlacedNode.State.UP || node.state == PlacedNode.State.SILENT) {
      return false;
    }
    enter(node, PlacedNode.State.UP);
    node.memoryFree = memoryFree;
    return true;
  }

  /**
   * Marks a node, and its memory, as lost.
   *
   * @return the ranks that were on it, ascending, which now have no node
   */
  List<Integer> lost(int number) {
    PlacedNode node = nodes.get(number);
    enter(node, PlacedNode.State.LOST);
    node.leaving = false;
    node.cut = false;
    for (int rank : node.left) {
      home[rank] = home[rank] == number ? NOWHERE : home[rank];
    }
    left -= node.left.size();
    node.left.clear();
    node.departures = 0;
    List<Integer> ranks = ranksOn(number);
    for (int rank : ranks) {
      remove(rank);
      rebuilt.clear(rank);
    }
    return ranks;
  }

  /**
   * Marks a node that is up as silent: it gets no ranks.
   *
   * @return false if it is not up
   */
  boolean silent(int number) {
    PlacedNode node = nodes.get(number);
    if (node.state != PlacedNode.State.UP) {
      return false;
    }
    enter(node, PlacedNode.State.SILENT);
    return true;
  }

  /** Marks a silent node as up. */
  void heard(int number) {
    PlacedNode node = nodes.get(number);
    assert node.state == PlacedNode.State.SILENT : node.name + " is " + node.state;
    enter(node, PlacedNode.State.UP);
  }

  /**
   * Takes the ranks of a silent or returning node away, which keeps their checkpoints until all
   * ranks run again.
   *
   * @param hasCheckpoints whether there may be checkpoints
   * @return the ranks, ascending, which now have no node
   */
  List<Integer> vacate(int number, boolean hasCheckpoints) {
    List<Integer> ranks = ranksOn(number);
    for (int rank : ranks) {
      if (!hasCheckpoints) {
        remove(rank);
        continue; // it leaves nothing, and any place is as good as this one once it is back
      }
      noteHome(rank);
      leave(rank);
    }
    return ranks;
  }

  /**
   * Whether a node whose daemon is lost gets another one: it had ranks, or what they have left.
   * Even if they have another place, their checkpoints may be needed before they are rebuilt there.
   */
  boolean needsDaemon(int number) {
    PlacedNode node = nodes.get(number);
    boolean holds =
        node.state == PlacedNode.State.RETURNING || node.load() > 0 || !node.left.isEmpty();
    return holds && node.restarts < RESTARTS;
  }

  /**
   * Marks a node as without a daemon until another one takes over its memory, and takes its ranks
   * away, as {@link #vacate} does.
   */
  List<Integer> awaitDaemon(int number, boolean hasCheckpoints) {
    PlacedNode node = nodes.get(number);
    enter(node, PlacedNode.State.RETURNING);
    node.restarts++;
    return vacate(number, hasCheckpoints);
  }

  /** Marks a node as about to be lost: it gets no more ranks unless there is no other node. */
  void leaving(int number) {
    nodes.get(number).leaving = true;
  }

  /** Marks a node as not about to be lost any more. */
  void staying(int number) {
    nodes.get(number).leaving = false;
  }

  /** Whether other nodes have free slots for all ranks of a node. */
  boolean isRoomFor(int number) {
    int room = 0;
    for (PlacedNode node : nodes) {
      room += node.stays() ? Math.max(0, node.capacity - node.load()) : 0;
    }
    return room >= load(number);
  }

  /**
   * Whether all checkpoints of a node's ranks could be rebuilt on other nodes, beside those that
   * are being rebuilt now.
   */
  boolean canBeRebuilt(int number) {
    return ranksOn(number).stream()
        .allMatch(
            r ->
                (bare.get(r) && !rebuilt.get(r))
                    || isRebuildable(r, other -> nodeOf[other] == number));
  }

  /**
   * Whether a rank's group can rebuild what it has lost if some ranks lose their checkpoints, too.
   */
  private boolean isRebuildable(int rank, IntPredicate lose) {
    int lost = 0;
    for (int other : groups[rank]) {
      lost += bare.get(other) || lose.test(other) ? 1 : 0;
    }
    return lost <= tolerance(rank);
  }

  /** Whether a rank of this node moves to another node with room when it is next started. */
  boolean shedsRanks(int number) {
    PlacedNode node = nodes.get(number);
    return node.leaving || node.isCrowded();
  }

  /**
   * Whether a rank has come to its node since it was last started, and the node does not hold its
   * newest checkpoints. It may hold older ones, or of a version that was taken again elsewhere.
   */
  boolean hasArrived(int rank) {
    boolean has = arrived.get(rank);
    arrived.clear(rank);
    return has;
  }

  /** Whether any node has more ranks than slots. */
  boolean isCrowded() {
    return crowded > 0;
  }

  /**
   * Returns ranks beyond the slots of a node that can move to nodes with free slots, where their
   * checkpoints can be rebuilt. Ranks with the most members of their group beside them come first.
   */
  List<Integer> movable(int number) {
    PlacedNode node = nodes.get(number);
    List<Integer> movable = new ArrayList<>();
    if (!bare.isEmpty() || !node.isCrowded()) {
      return movable;
    }
    int[] room = nodes.stream().mapToInt(n -> n.stays() ? n.capacity - n.load() : 0).toArray();
    BitSet moved = new BitSet();
    List<Integer> closest =
        ranksOn(number).stream()
            .sorted((a, b) -> Integer.compare(membersOn(number, b), membersOn(number, a)))
            .toList();
    for (int rank : closest) {
      int to = roomFor(rank, room);
      if (to != NOWHERE
          && isRebuildable(rank, other -> other == rank || moved.get(other))
          && node.load() - movable.size() > node.capacity) {
        room[to]--;
        moved.set(rank);
        movable.add(rank);
      }
    }
    return movable;
  }

  private int roomFor(int rank, int[] room) {
    for (int n = 0; n < room.length; n++) {
      if (room[n] > 0 && !nodes.get(n).left.contains(rank)) {
        return n;
      }
    }
    return NOWHERE;
  }

  /** Returns the number of members of a rank's group on a node. */
  private int membersOn(int number, int rank) {
    int members = 0;
    for (int other : groups[rank]) {
      members += nodeOf[other] == number ? 1 : 0;
    }
    return members;
  }

  private void enter(PlacedNode node, PlacedNode.State state) {
    launching -= node.state == PlacedNode.State.LAUNCHING ? 1 : 0;
    assert launching >= 0;
    silent -= mayReturn(node.state) ? 1 : 0;
    silent += mayReturn(state) ? 1 : 0;
    count(node, -1);
    node.state = state;
    count(node, 1);
  }

  private static boolean mayReturn(PlacedNode.State state) {
    return state == PlacedNode.State.SILENT || state == PlacedNode.State.RETURNING;
  }

  /** Uncounts a node before a change (-1), or counts it again after the change (1). */
  private void count(PlacedNode node, int one) {
    missing += node.isMissing() ? one : 0;
    crowded += node.isCrowded() ? one : 0;
  }

  /** Marks a node as belonging to the job until it is lost. */
  void lent(int number) {
    nodes.get(number).lent = true;
  }

  /** Returns lost nodes that are to be restarted because ranks wait for them. */
  List<Integer> awaitLost() {
    List<Integer> awaited = new ArrayList<>();
    for (int n = 0; n < nodes.size(); n++) {
      if (isLost(n) && !nodes.get(n).lent) {
        await(n);
        awaited.add(n);
      }
    }
    return awaited;
  }

  /** Marks a lost node as being restarted. */
  void await(int number) {
    enter(nodes.get(number), PlacedNode.State.AWAITED);
  }

  /**
   * Whether the first processes can start, since no node with ranks is missing. Then forms the
   * groups.
   */
  boolean start() {
    if (missing > 0) {
      return false;
    }
    groups = Groups.form(nodeOf, rack(), spec.grouping().size(), spec.grouping().losses());
    return true;
  }

  /**
   * Finds other nodes, which may still be starting, for the ranks of a node that failed before
   * these ranks were started. Prefers one node with room for all, because the groups then stay the
   * same.
   *
   * @return false if there are not enough free slots
   */
  boolean replan(List<Integer> ranks) {
    int whole = NOWHERE;
    int room = 0;
    for (int n = 0; n < nodes.size(); n++) {
      PlacedNode node = nodes.get(n);
      if (!node.isUpOrStarting()) {
        continue;
      }
      room += node.capacity - node.load();
      if (node.load() == 0
          && node.capacity >= ranks.size()
          && (whole == NOWHERE || (node.state == PlacedNode.State.UP && !isUp(whole)))) {
        whole = n;
      }
    }
    if (room < ranks.size()) {
      return false;
    }
    int at = whole == NOWHERE ? 0 : whole;
    for (int rank : ranks) {
      while (!nodes.get(at).isUpOrStarting() || !nodes.get(at).hasRoom()) {
        at++;
      }
      put(rank, at, false);
    }
    bare.clear();
    return true;
  }

  // ---- placing ranks

  /** Assigns a rank without a node to this node. */
  void put(int rank, int number, boolean beyondSlots) {
    PlacedNode node = nodes.get(number);
    assert nodeOf[rank] == NOWHERE : "rank " + rank + " is on two nodes";
    assert node.state != PlacedNode.State.LOST : "a rank on a lost node";
    assert beyondSlots || node.hasRoom() : "more ranks than slots on " + node.name;
    nodeOf[rank] = number;
    arrived.set(rank, home[rank] != number);
    if (home[rank] == number) {
      home[rank] = NOWHERE;
      bare.set(rank, doubtful.get(rank));
      rebuilt.set(rank, doubtful.get(rank));
    }
    left -= node.left.remove(rank) ? 1 : 0;
    count(node, -1);
    node.ranks.add(rank);
    count(node, 1);
  }

  private void remove(int rank) {
    PlacedNode node = nodes.get(nodeOf[rank]);
    assert node.ranks.contains(rank);
    count(node, -1);
    node.ranks.remove(rank);
    count(node, 1);
    nodeOf[rank] = NOWHERE;
    bare.set(rank);
  }

  /**
   * Chooses a node for a rank without one, within the limits set by the user.
   *
   * @param requests whether nodes can be requested
   */
  Choice choose(int rank, boolean requests) {
    if (returns(rank)) {
      return isReturning(home[rank])
          ? new Choice.Later()
          : new Choice.At(home[rank], !nodes.get(home[rank]).hasRoom());
    }
    int node = best(rank, Search.FREE_TO_STAY);
    if (node != NOWHERE) {
      return new Choice.At(node, false);
    }
    if (launching + silent > 0) {
      return new Choice.Later();
    }
    if (requests) {
      return new Choice.WhenOneIsGranted();
    }
    int last = best(rank, Search.FREE);
    return switch (spec.room().onNoSpare()) {
      case WAIT -> last == NOWHERE ? new Choice.WhenOneReturns() : new Choice.At(last, false);
      case SHRINK ->
          last != NOWHERE
              ? new Choice.At(last, false)
              : up().isEmpty()
                  ? new Choice.Nowhere(EndCause.NO_NODE, "no node is left")
                  : new Choice.Fewer();
      case ABORT ->
          last == NOWHERE
              ? new Choice.Nowhere(EndCause.NO_SPARE, "no spare node is left for rank " + rank)
              : new Choice.At(last, false);
      case SHARE -> {
        int shared = best(rank, Search.ANY);
        yield shared == NOWHERE
            ? new Choice.Nowhere(EndCause.NO_NODE, "no node is left")
            : new Choice.At(shared, !nodes.get(shared).hasRoom());
      }
    };
  }

  /**
   * Moves a rank without a process from a live node to another node with a free slot.
   *
   * @param hopeless whether even a node that is about to be lost is better than its own
   * @param hasCheckpoints whether there may be checkpoints
   * @return false if there is no such node, or its checkpoints could not be rebuilt there
   */
  boolean moveAway(int rank, boolean hopeless, boolean hasCheckpoints) {
    if (hasCheckpoints && !canBeBroughtBack(rank)) {
      return false;
    }
    int to = best(rank, hopeless ? Search.FREE_AND_NEW : Search.FREE_TO_STAY);
    if (to == NOWHERE) {
      return false;
    }
    move(rank, to, hasCheckpoints, false);
    return true;
  }

  private void move(int rank, int to, boolean hasCheckpoints, boolean beyondSlots) {
    if (hasCheckpoints) {
      noteHome(rank);
    }
    leave(rank);
    put(rank, to, beyondSlots);
  }

  /** Notes that a rank leaves its newest checkpoints, or what may be them, on its node. */
  private void noteHome(int rank) {
    if (home[rank] == NOWHERE && (!bare.get(rank) || rebuilt.get(rank))) {
      home[rank] = nodeOf[rank];
      doubtful.set(rank, bare.get(rank));
    }
  }

  private void leave(int rank) {
    PlacedNode from = nodes.get(nodeOf[rank]);
    remove(rank);
    rebuilt.clear(rank);
    from.left.add(rank);
    from.departures++;
    left++;
  }

  /**
   * Whether a rank must return to the live node that it has left, because its group has lost too
   * many members to rebuild its checkpoints anywhere else. If the node may lack them, a node where
   * they may have been rebuilt since is as good.
   */
  boolean returns(int rank) {
    return home[rank] != NOWHERE
        && bare.get(rank)
        && !canBeBroughtBack(rank)
        && (nodeOf[rank] == NOWHERE || !doubtful.get(rank) || !rebuilt.get(rank));
  }

  /**
   * Returns the nodes that certainly have the newest checkpoints of ranks which have left them and
   * could return, by rank.
   */
  Map<Integer, Integer> homes() {
    Map<Integer, Integer> homes = new TreeMap<>();
    for (int rank = bare.nextSetBit(0); rank >= 0; rank = bare.nextSetBit(rank + 1)) {
      int to = home[rank];
      if (to != NOWHERE
          && nodeOf[rank] != NOWHERE
          && !doubtful.get(rank)
          && nodes.get(to).stays()
          && Collections.frequency(homes.values(), to) < nodes.get(to).capacity - load(to)) {
        homes.put(rank, to);
      }
    }
    return homes;
  }

  /** Returns all ranks that {@link #returns} holds for, ascending. */
  List<Integer> returning() {
    return left == 0 ? List.of() : bare.stream().filter(this::returns).boxed().toList();
  }

  /**
   * Puts a rank without a process back on the node that it has left.
   *
   * @return false if that node has no daemon now: then the rank has no node
   */
  boolean goBack(int rank) {
    int to = home[rank];
    leave(rank);
    if (isReturning(to)) {
      return false;
    }
    put(rank, to, !nodes.get(to).hasRoom());
    return true;
  }

  /** A node, and a rank that has left it. */
  record Left(int node, int rank) {}

  /**
   * Notes that a checkpoint was committed where all ranks are now, which may be known before all of
   * them are known to run.
   *
   * @return the older ones that ranks have left on other nodes, which are obsolete
   */
  List<Left> committed() {
    bare.clear();
    rebuilt.clear();
    List<Left> all = new ArrayList<>();
    for (int n = 0; left > 0 && n < nodes.size(); n++) {
      PlacedNode node = nodes.get(n);
      for (int rank : node.left) {
        home[rank] = NOWHERE;
      }
      if (node.state == PlacedNode.State.RETURNING) {
        continue; // nothing can be deleted there yet
      }
      for (int rank : node.left) {
        all.add(new Left(n, rank));
      }
      left -= node.left.size();
      node.left.clear();
    }
    return all;
  }

  /**
   * Moves a rank without a process to this node, because other nodes do not hear its own.
   *
   * @param hasCheckpoints whether there may be checkpoints
   * @param beyondSlots whether the node may take more ranks than it has slots
   * @return false if the node is lost or has no room any more, or the rank's checkpoints could not
   *     be rebuilt there
   */
  boolean moveTo(int rank, int to, boolean hasCheckpoints, boolean beyondSlots) {
    if (!isUp(to)
        || (!beyondSlots && !nodes.get(to).hasRoom())
        || (hasCheckpoints && home[rank] != to && !canBeBroughtBack(rank))) {
      return false;
    }
    nodes.get(nodeOf[rank]).cut = true;
    move(rank, to, hasCheckpoints, beyondSlots);
    return true;
  }

  /** Notes that a node hears all others. */
  void linked(int number) {
    nodes.get(number).cut = false;
  }

  /**
   * Returns the places to which ranks may move.
   *
   * @param hasCheckpoints whether there may be checkpoints
   * @param beyondSlots whether nodes take more ranks than they have slots
   */
  Links.Places placesFor(boolean hasCheckpoints, boolean beyondSlots) {
    return new PlacesNow(hasCheckpoints, beyondSlots);
  }

  private final class PlacesNow implements Links.Places {
    private final boolean hasCheckpoints;
    private final boolean beyondSlots;
    private final List<Integer> used = new ArrayList<>();

    PlacesNow(boolean hasCheckpoints, boolean beyondSlots) {
      this.hasCheckpoints = hasCheckpoints;
      this.beyondSlots = beyondSlots;
      for (int n = 0; n < nodes.size(); n++) {
        if (nodes.get(n).load() > 0) {
          used.add(n);
        }
      }
    }

    @Override
    public List<Integer> used() {
      return used;
    }

    @Override
    public List<Integer> ranksOn(int node) {
      return Placement.this.ranksOn(node);
    }

    @Override
    public List<Integer> candidates(int rank) {
      int[] members = members(rank);
      Map<String, Integer> inRack = inRacks(members);
      List<Integer> candidates = new ArrayList<>();
      for (int n = 0; n < members.length; n++) {
        if (isUp(n) && n != nodeOf[rank] && room(n) > 0) {
          candidates.add(n);
        }
      }
      candidates.sort(
          (a, b) ->
              isBetter(rank, a, b, members, inRack)
                  ? -1
                  : isBetter(rank, b, a, members, inRack) ? 1 : a - b);
      return candidates;
    }

    @Override
    public int room(int node) {
      PlacedNode of = nodes.get(node);
      return beyondSlots ? Integer.MAX_VALUE : of.capacity - of.load();
    }

    @Override
    public boolean canMove(BitSet moving) {
      return !hasCheckpoints || moving.stream().allMatch(r -> isRebuildable(r, moving::get));
    }
  }

  private boolean canBeBroughtBack(int rank) {
    return isRebuildable(rank, other -> other == rank);
  }

  /**
   * Returns the ranks of a group whose checkpoints are lost for good, if they are more than its
   * code rebuilds; none otherwise, or if that is not certain.
   */
  List<Integer> lostForGood(int rank) {
    List<Integer> lost = new ArrayList<>();
    for (int other : groups[rank]) {
      if (bare.get(other) && home[other] == NOWHERE && !rebuilt.get(other)) {
        lost.add(other);
      }
    }
    return lost.size() > tolerance(rank) ? lost : List.of();
  }

  /** Notes that all ranks are there, and begin to rebuild what some have lost. */
  void rebuilds() {
    rebuilt.or(bare);
  }

  /**
   * Notes that all ranks run, so that each has its checkpoints on its node again.
   *
   * @return what ranks have left on other nodes, which is of no more use: versions that were not
   *     committed are taken again without those nodes
   */
  List<Left> allRun() {
    bare.clear();
    rebuilt.clear();
    List<Left> all = new ArrayList<>();
    for (int n = 0; n < nodes.size(); n++) {
      PlacedNode node = nodes.get(n);
      node.restarts = 0;
      for (int rank : node.left) {
        if (home[rank] == n && node.state != PlacedNode.State.RETURNING) {
          all.add(new Left(n, rank));
        }
        home[rank] = home[rank] == n ? NOWHERE : home[rank];
      }
    }
    return all;
  }

  /** Notes the size of a checkpoint that was taken. */
  void checkpoint(long bytes) {
    imageBytes = bytes;
  }

  private List<String> rack() {
    return nodes.stream().map(node -> node.rack).toList();
  }

  /**
   * Returns the best node for a rank to move to: a node that is not about to be lost; then one that
   * all others hear, as far as known; then one that it has not left, or that still holds its newest
   * checkpoints; then with the fewest members of its group, in the node and then in the rack; then
   * with memory for its checkpoints; then left by the fewest ranks; then the emptiest; then the
   * first.
   *
   * @param search which nodes qualify
   */
  private int best(int rank, Search search) {
    int[] members = members(rank);
    Map<String, Integer> inRack = inRacks(members);
    int best = NOWHERE;
    for (int n = 0; n < members.length; n++) {
      PlacedNode node = nodes.get(n);
      if (node.state == PlacedNode.State.UP
          && (search != Search.FREE_TO_STAY || node.stays())
          && n != nodeOf[rank]
          && (search == Search.ANY || search == Search.FREE || !hasLeft(rank, n))
          && (search == Search.ANY || node.hasRoom())
          && (best == NOWHERE || isBetter(rank, n, best, members, inRack))) {
        best = n;
      }
    }
    return best;
  }

  /** Whether a rank has left a node that does not hold its newest checkpoints. */
  private boolean hasLeft(int rank, int node) {
    return nodes.get(node).left.contains(rank) && home[rank] != node;
  }

  /** Returns the number of members of a rank's group, by node. */
  private int[] members(int rank) {
    int[] members = new int[nodes.size()];
    for (int other : groups[rank]) {
      if (nodeOf[other] != NOWHERE) {
        members[nodeOf[other]]++;
      }
    }
    return members;
  }

  /**
   * @param members the number of members of the group, by node
   * @param inRack the number of members in each known rack
   */
  private boolean isBetter(
      int rank, int number, int otherNumber, int[] members, Map<String, Integer> inRack) {
    PlacedNode node = nodes.get(number);
    PlacedNode other = nodes.get(otherNumber);
    if (node.leaving != other.leaving) {
      return other.leaving;
    }
    if (node.cut != other.cut) {
      return other.cut;
    }
    if (hasLeft(rank, number) != hasLeft(rank, otherNumber)) {
      return hasLeft(rank, otherNumber);
    }
    if (members[number] != members[otherNumber]) {
      return members[number] < members[otherNumber];
    }
    int near = inRack.getOrDefault(node.rack, 0);
    int otherNear = inRack.getOrDefault(other.rack, 0);
    if (near != otherNear) {
      return near < otherNear;
    }
    if (hasMemory(node) != hasMemory(other)) {
      return hasMemory(node);
    }
    if (node.departures != other.departures) {
      return node.departures < other.departures;
    }
    return node.load() < other.load();
  }

  /** Returns the number of members in each known rack. */
  private Map<String, Integer> inRacks(int[] members) {
    Map<String, Integer> near = new HashMap<>();
    for (int n = 0; n < members.length; n++) {
      if (members[n] > 0 && !nodes.get(n).rack.isEmpty()) {
        near.merge(nodes.get(n).rack, members[n], Integer::sum);
      }
    }
    return near;
  }

  /**
   * Whether two checkpoints of one more rank fit into the memory that was free when the node came
   * up.
   */
  private boolean hasMemory(PlacedNode node) {
    return node.memoryFree / (node.load() + 1) / 2 >= imageBytes;
  }

  // ---- standbys

  /**
   * Returns the number of standby processes for each node that is up: one where ranks are, to
   * replace one of them; on a spare, as many as a lost node may bring.
   */
  List<JobCommand.ToNode> standbys() {
    int most = mostRanks();
    List<JobCommand.ToNode> all = new ArrayList<>();
    for (int n = 0; n < nodes.size(); n++) {
      if (isUp(n)) {
        all.add(standbys(n, most));
      }
    }
    return all;
  }

  /** Returns the same for one node. */
  JobCommand.ToNode standbys(int node) {
    return standbys(node, mostRanks());
  }

  private JobCommand.ToNode standbys(int number, int most) {
    PlacedNode node = nodes.get(number);
    int load = node.load();
    int count = load > 0 ? 1 : Math.min(most, node.capacity);
    return new JobCommand.ToNode(number, new ToDaemon.Standbys(count, Math.max(load, count)));
  }

  private int mostRanks() {
    int most = 0;
    for (PlacedNode node : nodes) {
      most = Math.max(most, node.load());
    }
    return most;
  }
}
