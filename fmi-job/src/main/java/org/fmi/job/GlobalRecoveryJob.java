package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.spi.Fault;
import org.jspecify.annotations.Nullable;

/**
 * Decides by global rollback, as the FMI paper does: any failure sends every process back to H1.
 *
 * <pre>
 *  LAUNCHING --all nodes up--> JOINING(e) --all joined, Start(e)--> CONNECTING(e) --all run--> RUNNING(e)
 *                               ^   |                                  |                        |  |
 *                               |   +-- a failure: stay, respawn       |        a failure: e+1  |  | all finished
 *                               +--------------------------------------+------------------------+  v
 *                                                                                            RELEASED --> ENDED
 * </pre>
 *
 * A failure before Start(e) needs no new epoch: nothing was sent in e yet. A survivor that stands
 * outside of a loop cannot be rolled back; then all processes are killed and started again in the
 * same epoch, and restore from memory.
 */
public final class GlobalRecoveryJob implements Job {
  /**
   * After so many failures of a rank's program itself at the same place in a row, it is not started
   * again.
   */
  private static final int SELF_FAILURES = 3;

  /**
   * What the overlay could not be connected over in so many epochs in a row is left out, if there
   * is something else.
   */
  private static final int UNCONNECTED_EPOCHS = 2;

  /** A rank whose processes are lost so often before all ranks run is given up. */
  private static final int MOST_STARTS = 10;

  private enum Phase {
    LAUNCHING,
    JOINING,
    CONNECTING,
    RUNNING,
    RELEASED,
    ENDED
  }

  private enum NodeState {
    /** Started for the first time. */
    LAUNCHING,
    UP,
    LOST,
    /** Was lost, and is started again and again, as ranks wait for a place. */
    AWAITED
  }

  private enum Life {
    /** No process and no place: waits for a node. */
    UNPLACED,
    ALIVE,
    /** Being killed; its exit is awaited. */
    DYING,
    /** Exited after all ranks were released, or without ever having joined. */
    GONE
  }

  private static final class Rank {
    int node = -1;
    int incarnation = -1;

    /**
     * Processes started for it since all ranks ran the last time, but for those whose end says
     * nothing about it: killed to restart all, or lost with their node.
     */
    int starts;

    /** Why another process, or its silence, had this one killed. */
    @Nullable String suspicion;

    Life life = Life.UNPLACED;

    /** A process of it has joined: its program uses the library. */
    boolean known;

    /** This process was told to start in some epoch: it ran the program's code. */
    boolean started;

    boolean joined;
    boolean connected;
    boolean running;
    boolean rebuilt;
    boolean finished;

    /** Where this process said that the program has thrown. */
    @Nullable Line failedAt;

    /** Where its program has failed by itself the last time, and how often in a row. */
    @Nullable Line selfFailurePlace;

    int selfFailures;

    Position position = Position.FRESH;
    Map<String, byte[]> addresses = Map.of();
  }

  /** How far a program has come: what the job needs to see progress. */
  private record Line(long loop, long iteration) {
    boolean isBeyond(Line other) {
      return loop > other.loop || (loop == other.loop && iteration > other.iteration);
    }
  }

  private final JobSpec spec;
  private final NodeState[] nodes;
  private final Rank[] ranks;
  private final int[][] groups;
  private final Map<Integer, FaultSpec> faults = new HashMap<>();
  private final List<JobCommand> out = new ArrayList<>();

  /** What ranks could not connect their overlay over, once for each such epoch since it was up. */
  private final List<String> unconnected = new ArrayList<>();

  /** Transports that ranks are to leave out. */
  private final List<String> without = new ArrayList<>();

  private Phase phase = Phase.LAUNCHING;
  private int epoch;
  private boolean restartAll;
  private boolean waiting;
  private int exitStatus;
  private @Nullable Line line;

  /** Of the checkpoints that were committed; the first one, 0, is of the program's beginning. */
  private long newestVersion;

  /** The newest one when the epoch began. */
  private long versionBefore;

  /**
   * A job to be begun.
   *
   * @throws IllegalArgumentException if the nodes have too few slots
   */
  public GlobalRecoveryJob(JobSpec spec) {
    this.spec = spec;
    this.nodes = new NodeState[spec.nodes().size()];
    this.ranks = new Rank[spec.size()];
    int[] nodeOf = spec.placement();
    for (int r = 0; r < ranks.length; r++) {
      ranks[r] = new Rank();
      ranks[r].node = nodeOf[r];
    }
    this.groups = Groups.form(nodeOf, spec.groupSize());
    for (int i = 0; i < spec.faults().size(); i++) {
      faults.put(i, spec.faults().get(i));
    }
  }

  @Override
  public List<JobCommand> begin() {
    for (int n = 0; n < nodes.length; n++) {
      nodes[n] = NodeState.LAUNCHING;
      out.add(new JobCommand.Launch(n));
    }
    return take();
  }

  @Override
  public List<JobCommand> on(JobEvent event) {
    if (phase != Phase.ENDED) {
      switch (event) {
        case JobEvent.NodeUp e -> onNodeUp(e.node());
        case JobEvent.NodeLost e -> onNodeLost(e.node(), e.reason());
        case JobEvent.RankExited e -> onRankExited(e);
        case JobEvent.RankSilent e -> onRankSilent(e.rank(), e.incarnation());
        case JobEvent.RankDying e -> onRankDying(e.rank(), e.incarnation());
        case JobEvent.FromRank e -> onFromRank(e);
        case JobEvent.Interrupted e -> end(128 + e.signal(), "ended by signal " + e.signal());
      }
    }
    return take();
  }

  private List<JobCommand> take() {
    List<JobCommand> commands = List.copyOf(out);
    out.clear();
    return commands;
  }

  // ---- nodes

  private void onNodeUp(int node) {
    if (nodes[node] == NodeState.UP) {
      return;
    }
    nodes[node] = NodeState.UP;
    report(new Notice.NodeReady(node, name(node)));
    if (phase == Phase.LAUNCHING) {
      startWhenNodesAreUp();
    } else {
      placeWaiting();
    }
  }

  private void startWhenNodesAreUp() {
    for (Rank r : ranks) {
      if (nodes[r.node] != NodeState.UP) {
        return;
      }
    }
    int used = (int) Arrays.stream(ranks).mapToInt(r -> r.node).distinct().count();
    report(new Notice.Started(ranks.length, used, nodes.length - used));
    if (used > 1) {
      reportUnprotected();
    }
    phase = Phase.JOINING;
    for (int r = 0; r < ranks.length; r++) {
      spawn(r, ranks[r].node);
    }
  }

  private void reportUnprotected() {
    for (int r = 0; r < ranks.length; r++) {
      if (groups[r].length == 1) {
        report(
            new Notice.Degraded(
                "rank "
                    + r
                    + " has no partner on another node: the job will not survive the loss of "
                    + name(ranks[r].node)
                    + "; place the same number of ranks on each node"));
      }
    }
  }

  private void onNodeLost(int node, String reason) {
    NodeState before = nodes[node];
    if (before == NodeState.LOST) {
      return;
    }
    nodes[node] = NodeState.LOST;
    List<Integer> lost = ranksOn(node);
    if (phase == Phase.LAUNCHING && !lost.isEmpty()) {
      // Its daemon may have got far enough to leave something behind.
      out.add(new JobCommand.KillNode(node, reason));
      end(70, "cannot start on " + name(node) + ": " + reason);
      return;
    }
    report(new Notice.NodeFailed(epoch, node, name(node), "fmirun", reason));
    // Whoever was declared dead is made dead, and its memory counts as lost.
    out.add(new JobCommand.KillNode(node, reason));
    lost.removeIf(r -> ranks[r].life == Life.GONE);
    if (lost.isEmpty()) {
      if (phase == Phase.JOINING) {
        placeWaiting(); // it may have been the last that ranks without a place waited for
      }
      return;
    }
    if (phase == Phase.RELEASED) {
      end(70, name(node) + " was lost while the program was ending: " + reason);
      return;
    }
    for (int r : lost) {
      discountStart(ranks[r]);
      ranks[r].life = Life.UNPLACED;
      ranks[r].joined = false;
      ranks[r].node = -1;
    }
    if (beginRecovery(lost.getFirst(), name(node) + " lost: " + reason)) {
      placeWaiting();
    }
  }

  private List<Integer> ranksOn(int node) {
    List<Integer> on = new ArrayList<>();
    for (int r = 0; r < ranks.length; r++) {
      if (ranks[r].node == node) {
        on.add(r);
      }
    }
    return on;
  }

  /** Finds a place for every rank that has none, as far as the user allows. */
  private void placeWaiting() {
    boolean waits = false;
    for (int r = 0; r < ranks.length; r++) {
      if (ranks[r].life != Life.UNPLACED) {
        continue;
      }
      int node = findNode(r, true);
      if (node < 0 && isAnyLaunching()) {
        continue; // a spare that is still being started may take it
      }
      if (node < 0) {
        switch (spec.onNoSpare()) {
          case SHARE -> node = findNode(r, false);
          case ABORT -> {
            end(
                70,
                "no spare node is left for rank "
                    + r
                    + "; give more nodes, or --on-no-spare share or wait");
            return;
          }
          case WAIT -> {
            waitForNode();
            waits = true;
            continue;
          }
        }
        if (node < 0) {
          end(
              70,
              "no node is left; give spare nodes (--spares, or more hosts than the ranks need)");
          return;
        }
        report(
            new Notice.Degraded(
                "no spare node is left: rank " + r + " shares " + name(node) + " with others"));
      }
      int partner = partnerOn(node, r);
      if (partner >= 0) {
        report(
            new Notice.Degraded(
                "ranks "
                    + Math.min(partner, r)
                    + " and "
                    + Math.max(partner, r)
                    + " protect each other's checkpoints and are both on "
                    + name(node)
                    + " now: the job will not survive its loss"));
      }
      spawn(r, node);
    }
    waiting = waits;
  }

  /** Another rank of the same group on a node; -1 if there is none. */
  private int partnerOn(int node, int rank) {
    for (int other : groups[rank]) {
      if (other != rank && ranks[other].node == node) {
        return other;
      }
    }
    return -1;
  }

  private boolean isAnyLaunching() {
    for (NodeState state : nodes) {
      if (state == NodeState.LAUNCHING) {
        return true;
      }
    }
    return false;
  }

  private void waitForNode() {
    if (!waiting) {
      waiting = true;
      report(new Notice.Degraded("no spare node is left: waiting until a lost one comes back"));
    }
    for (int n = 0; n < nodes.length; n++) {
      if (nodes[n] == NodeState.LOST) {
        nodes[n] = NodeState.AWAITED;
        out.add(new JobCommand.Launch(n));
      }
    }
  }

  /**
   * The best node for a rank: one without members of its group, then the emptiest, then the first.
   *
   * @param free only nodes with a free slot
   * @return -1 if there is none
   */
  private int findNode(int rank, boolean free) {
    int best = -1;
    long bestCost = Long.MAX_VALUE;
    for (int n = 0; n < nodes.length; n++) {
      if (nodes[n] != NodeState.UP) {
        continue;
      }
      int load = 0;
      int sameGroup = 0;
      for (int r = 0; r < ranks.length; r++) {
        if (ranks[r].node == n) {
          load++;
          sameGroup += groups[rank][0] == groups[r][0] ? 1 : 0;
        }
      }
      if (free && load >= spec.capacity(n)) {
        continue;
      }
      long cost = sameGroup * 1_000_000L + load;
      if (cost < bestCost) {
        best = n;
        bestCost = cost;
      }
    }
    return best;
  }

  // ---- processes

  private void spawn(int r, int node) {
    Rank rank = ranks[r];
    rank.node = node;
    rank.incarnation++;
    rank.starts++;
    rank.life = Life.ALIVE;
    rank.started = false;
    rank.joined = false;
    rank.finished = false;
    rank.failedAt = null;
    rank.suspicion = null;
    List<Fault> mine = new ArrayList<>();
    faults.forEach(
        (id, f) -> {
          if (f.number() == (f.node() || f.daemon() ? node : r)) {
            mine.add(new Fault(id, f.point(), f.iteration()));
          }
        });
    mine.sort(Comparator.comparingInt(Fault::id));
    out.add(
        new JobCommand.Spawn(
            node, r, rank.incarnation, groups[r], ranksOn(node).size(), List.copyOf(mine)));
    if (epoch > 0) {
      out.add(new JobCommand.Tell(r, rank.incarnation, revoke(JobMessage.Revoke.NONE)));
    }
    if (rank.incarnation > 0) {
      report(new Notice.Respawned(epoch, r, node, name(node), rank.incarnation));
    }
  }

  private void onRankExited(JobEvent.RankExited e) {
    Rank rank = ranks[e.rank()];
    if (e.incarnation() != rank.incarnation || rank.node != e.node() || rank.life == Life.GONE) {
      return;
    }
    boolean wasDying = rank.life == Life.DYING;
    rank.joined = false;
    if (phase == Phase.RELEASED) {
      if (e.signaled()) {
        // What the program still did after Fmi.close cannot be done again.
        report(
            new Notice.RankFailed(epoch, e.rank(), "daemon", howItEnded(e) + " after Fmi.close"));
      }
      gone(rank, e.status());
      return;
    }
    // Even if its peers noticed first and its kill was decided.
    if (rank.known && isOwnFault(e) && tooManySelfFailures(rank)) {
      end(
          e.status() == 0 ? 70 : e.status(),
          "rank "
              + e.rank()
              + " failed by itself "
              + SELF_FAILURES
              + " times at the same place ("
              + howItEnded(e)
              + "): not started again");
      return;
    }
    String how = howItEnded(e);
    if (rank.starts >= MOST_STARTS) {
      // Whoever noticed it first: peers that cannot reach it would have it killed for ever.
      end(
          70,
          "rank "
              + e.rank()
              + " was started "
              + rank.starts
              + " times and always lost before all ranks ran (at last it "
              + how
              + (rank.suspicion == null
                  ? "): is there enough memory?"
                  : ", after " + rank.suspicion + "): can all hosts reach its host?"));
      return;
    }
    if (wasDying) {
      // Its failure was dealt with when the kill was decided: what is missing is the new process.
      spawn(e.rank(), rank.node);
      return;
    }
    if (!rank.known && !e.signaled()) {
      if (e.status() != 0) {
        end(
            e.status(),
            "rank " + e.rank() + " ended with status " + e.status() + " before Fmi.init");
      } else {
        goneWithoutInit(e.rank());
      }
      return;
    }
    report(new Notice.RankFailed(epoch, e.rank(), "daemon", how));
    rank.life = Life.UNPLACED;
    if (beginRecovery(e.rank(), "rank " + e.rank() + " " + how)) {
      if (nodes[rank.node] == NodeState.UP) {
        spawn(e.rank(), rank.node);
      } else {
        placeWaiting();
      }
    }
  }

  private static String howItEnded(JobEvent.RankExited e) {
    if (e.signaled()) {
      return "was killed by signal " + (e.status() - 128);
    }
    return e.status() == 0
        ? "ended without Fmi.close"
        : "ended by itself with status " + e.status();
  }

  /**
   * Whether the program, and not its environment, is to blame: an exit, or a signal that a fault in
   * the code raises.
   */
  private static boolean isOwnFault(JobEvent.RankExited e) {
    if (!e.signaled()) {
      return true;
    }
    return switch (e.status() - 128) {
      case 4, 6, 7, 8, 11 -> true; // SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
      default -> false;
    };
  }

  /**
   * Counts failures of the rank's program at one place: an iteration, or after the same checkpoint.
   * Each rank's own, for one incident may hit all at the same place.
   */
  private boolean tooManySelfFailures(Rank rank) {
    Line place = rank.failedAt == null ? line : rank.failedAt;
    if (!Objects.equals(place, rank.selfFailurePlace)) {
      rank.selfFailures = 0;
    }
    rank.selfFailurePlace = place;
    rank.selfFailures++;
    return rank.selfFailures >= SELF_FAILURES;
  }

  /** Its process ends for no reason of its own. */
  private static void discountStart(Rank rank) {
    rank.starts = Math.max(0, rank.starts - 1);
  }

  private void gone(Rank rank, int status) {
    rank.life = Life.GONE;
    if (exitStatus == 0) {
      exitStatus = status;
    }
    for (Rank r : ranks) {
      if (r.life != Life.GONE) {
        return;
      }
    }
    end(exitStatus, "");
  }

  /**
   * A program that does not use the library may run too; but not if others of its job wait for it.
   */
  private void goneWithoutInit(int r) {
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i].known) {
        end(
            70,
            "rank "
                + r
                + " ended without Fmi.init, but rank "
                + i
                + " waits for it: all ranks must call it");
        return;
      }
    }
    gone(ranks[r], 0);
  }

  private void onRankSilent(int r, int incarnation) {
    Rank rank = ranks[r];
    if (incarnation == rank.incarnation && rank.life == Life.ALIVE) {
      report(new Notice.RankFailed(epoch, r, "daemon", "was silent for too long"));
      rank.suspicion = "it was silent for too long";
      kill(r);
      beginRecovery(r, "rank " + r + " was silent for too long");
    }
  }

  /** Tells the others. All else is done when it has exited: only then it is known how. */
  private void onRankDying(int r, int incarnation) {
    Rank rank = ranks[r];
    if (incarnation == rank.incarnation
        && rank.life == Life.ALIVE
        && (phase == Phase.CONNECTING || phase == Phase.RUNNING)) {
      report(new Notice.RankFailed(epoch, r, "daemon", "was killed"));
      kill(r);
      beginRecovery(r, "rank " + r + " was killed");
    }
  }

  private void kill(int r) {
    ranks[r].life = Life.DYING;
    ranks[r].joined = false;
    out.add(new JobCommand.KillRank(ranks[r].node, r, ranks[r].incarnation));
  }

  // ---- recovery

  /**
   * Sends everybody back to H1.
   *
   * @param failed a rank that has failed, or {@link JobMessage.Revoke#NONE}
   * @return whether the job goes on
   */
  private boolean beginRecovery(int failed, String reason) {
    if (phase == Phase.RELEASED) {
      end(70, reason + ", while the program was ending");
      return false;
    }
    if (phase == Phase.JOINING) {
      // Start was not sent yet: nothing was sent in this epoch, it can still be used.
      return true;
    }
    if (epoch >= spec.maxRecoveries()) {
      end(
          70,
          reason
              + "; it would be recovery "
              + (epoch + 1)
              + ", --max-recoveries is "
              + spec.maxRecoveries());
      return false;
    }
    epoch++;
    versionBefore = newestVersion;
    phase = Phase.JOINING;
    restartAll = false;
    for (Rank r : ranks) {
      r.joined = false;
      r.connected = false;
      r.running = false;
      r.rebuilt = false;
      r.finished = false;
    }
    report(new Notice.RecoveryBegun(epoch, false, reason));
    out.add(new JobCommand.TellAll(revoke(failed)));
    return true;
  }

  private JobMessage.Revoke revoke(int failed) {
    return new JobMessage.Revoke(epoch, failed, List.copyOf(without));
  }

  /** Kills all that ran the program's code, to start it anew. */
  private void restartAll(String reason) {
    if (restartAll) {
      return;
    }
    restartAll = true;
    report(new Notice.RecoveryBegun(epoch, true, reason));
    for (int r = 0; r < ranks.length; r++) {
      if (ranks[r].life == Life.ALIVE && ranks[r].started) {
        discountStart(ranks[r]);
        kill(r);
      }
    }
  }

  private void onFromRank(JobEvent.FromRank e) {
    Rank rank = ranks[e.rank()];
    if (e.incarnation() != rank.incarnation || rank.life != Life.ALIVE) {
      return;
    }
    switch (e.message()) {
      case RankMessage.Joined m -> onJoined(e.rank(), m);
      case RankMessage.Connected m -> onConnected(rank, m);
      case RankMessage.Running m -> onRunning(rank, m);
      case RankMessage.Suspect m -> onSuspect(e.rank(), m);
      case RankMessage.CheckpointDone m -> onCheckpointDone(m);
      case RankMessage.AtFault m -> onAtFault(e.rank(), m.fault());
      case RankMessage.RestartNeeded m -> {
        if (m.epoch() == epoch && beginRecovery(JobMessage.Revoke.NONE, m.reason())) {
          restartAll(m.reason());
        }
      }
      case RankMessage.Unrecoverable m -> {
        if (m.epoch() == epoch) {
          end(70, m.reason());
        }
      }
      case RankMessage.ProgramFault m -> {
        if (m.epoch() == epoch) {
          end(1, m.reason());
        }
      }
      case RankMessage.Finished m -> onFinished(rank, m);
      case RankMessage.Failed m -> rank.failedAt = new Line(m.loop(), m.iteration());
      case RankMessage.Abort m ->
          end(m.status(), "rank " + e.rank() + " called abort(" + m.status() + ")");
    }
  }

  private void onJoined(int r, RankMessage.Joined m) {
    Rank rank = ranks[r];
    rank.known = true;
    if (m.epoch() != epoch || phase != Phase.JOINING) {
      return; // of an older epoch; its Revoke is under way
    }
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i].life == Life.GONE) {
        end(
            70,
            "rank "
                + i
                + " ended without Fmi.init, but rank "
                + r
                + " waits for it: all ranks must call it");
        return;
      }
    }
    rank.joined = true;
    rank.position = m.position();
    rank.addresses = m.addresses();
    report(new Notice.Joined(epoch, r));
    if (m.position() == Position.OUTSIDE) {
      restartAll("rank " + r + " is outside of a loop");
    }
    startWhenAllJoined();
  }

  private void startWhenAllJoined() {
    List<Map<String, byte[]>> endpoints = new ArrayList<>();
    boolean rollback = false;
    for (Rank r : ranks) {
      if (!r.joined) {
        return;
      }
      endpoints.add(r.addresses);
      rollback |= r.position != Position.FRESH;
    }
    phase = Phase.CONNECTING;
    for (Rank r : ranks) {
      r.started = true;
    }
    report(new Notice.AllJoined(epoch));
    out.add(new JobCommand.TellAll(new JobMessage.Start(epoch, rollback, endpoints)));
  }

  private void onConnected(Rank rank, RankMessage.Connected m) {
    if (m.epoch() != epoch || phase != Phase.CONNECTING) {
      return;
    }
    rank.connected = true;
    for (Rank r : ranks) {
      if (!r.connected) {
        return;
      }
    }
    unconnected.clear();
    report(new Notice.AllConnected(epoch, m.overlay()));
  }

  private void onRunning(Rank rank, RankMessage.Running m) {
    if (m.epoch() != epoch || phase != Phase.CONNECTING) {
      return;
    }
    rank.running = true;
    rank.rebuilt = m.rebuilt();
    int rebuilt = 0;
    for (Rank r : ranks) {
      if (!r.running) {
        return;
      }
      rebuilt += r.rebuilt ? 1 : 0;
    }
    if (m.iteration() < 0 && versionBefore > 0) {
      end(
          70,
          "all ranks lost their checkpoints at once, and the program would begin again; ranks on"
              + " more nodes (--ppn, --hosts), with spare nodes, make this less likely");
      return;
    }
    phase = Phase.RUNNING;
    for (Rank r : ranks) {
      r.starts = 0;
    }
    report(new Notice.AllRunning(epoch, m.loop(), m.iteration(), rebuilt));
  }

  private void onSuspect(int by, RankMessage.Suspect m) {
    if (m.rank() < 0 || m.rank() >= ranks.length) {
      return;
    }
    report(new Notice.Notified(m.epoch(), by, m.rank(), m.hops(), m.heardNanos()));
    Rank suspect = ranks[m.rank()];
    if (m.epoch() != epoch || phase == Phase.RELEASED) {
      return;
    }
    if (suspect.life == Life.ALIVE) {
      report(
          new Notice.RankFailed(epoch, m.rank(), "rank " + by + " over the log-ring", m.reason()));
      suspect.suspicion = "rank " + by + " said of it: " + m.reason();
      if (phase == Phase.CONNECTING && !ranks[by].connected && m.hops() == 0) {
        onUnconnected(m.overlay());
      }
      kill(m.rank());
    } else if (phase != Phase.JOINING) {
      return;
    }
    if (phase == Phase.JOINING) {
      // For the rank that has heard of the failure this epoch is over, though it was never started.
      phase = Phase.CONNECTING;
    }
    beginRecovery(m.rank(), "rank " + m.rank() + ": " + m.reason());
  }

  /**
   * A process lives, as far as its node knows, and another one has no connection to it: once it may
   * have died meanwhile.
   */
  private void onUnconnected(String overlay) {
    unconnected.add(overlay);
    if (Collections.frequency(unconnected, overlay) >= UNCONNECTED_EPOCHS
        && !without.contains(overlay)) {
      without.add(overlay);
    }
  }

  private void onCheckpointDone(RankMessage.CheckpointDone m) {
    if (m.epoch() != epoch) {
      return;
    }
    Line reached = new Line(m.loop(), m.iteration());
    line = reached;
    newestVersion = m.version();
    for (Rank r : ranks) {
      if (r.selfFailurePlace != null && reached.isBeyond(r.selfFailurePlace)) {
        r.selfFailures = 0;
      }
    }
    report(
        new Notice.CheckpointCommitted(
            m.epoch(),
            m.version(),
            m.loop(),
            m.iteration(),
            m.bytes(),
            m.copyNanos(),
            m.encodeNanos(),
            m.commitNanos()));
  }

  private void onAtFault(int r, int id) {
    FaultSpec fault = faults.remove(id);
    if (fault == null) {
      // Another rank of the node came first; this one dies with it.
      return;
    }
    int node = ranks[r].node;
    if (fault.daemon()) {
      out.add(new JobCommand.KillDaemon(node));
    } else if (fault.node()) {
      out.add(new JobCommand.KillNode(node, "injected failure"));
    } else {
      out.add(new JobCommand.KillRank(node, r, ranks[r].incarnation));
    }
  }

  private void onFinished(Rank rank, RankMessage.Finished m) {
    if (m.epoch() != epoch) {
      return;
    }
    rank.finished = true;
    for (Rank r : ranks) {
      if (!r.finished) {
        return;
      }
    }
    phase = Phase.RELEASED;
    out.add(new JobCommand.TellAll(new JobMessage.Release()));
  }

  // ---- the end

  private void end(int status, String message) {
    phase = Phase.ENDED;
    report(new Notice.Finished(status, epoch, message));
    out.add(new JobCommand.End(status, message));
  }

  private void report(Notice notice) {
    out.add(new JobCommand.Report(notice));
  }

  private String name(int node) {
    return spec.nodes().get(node).name();
  }
}
