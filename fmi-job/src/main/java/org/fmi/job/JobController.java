package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.fmi.control.AddressTable;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.Ranks.Life;
import org.fmi.job.Ranks.Rank;
import org.fmi.job.Ranks.Stage;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.OnFailure;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The decision maker of a job. By default, as in the FMI paper, any failure sends every process to
 * H1; {@link RollbackScope} decides whether all ranks roll back or only the failed ones.
 *
 * <p>{@link Phase} shows the protocol, and the effect of each event in each phase. {@link
 * Placement} chooses nodes for ranks; {@link FailureLedger} decides whether another attempt is
 * worthwhile.
 *
 * <p>A failure before Start(e) needs no new epoch, because nothing was sent in e yet. A survivor
 * outside of a loop cannot be rolled back; then all processes are killed and restarted in the same
 * epoch, and restore from memory.
 */
public final class JobController implements Job {
  /**
   * Work that is needed for each rank is done for this many ranks per event, which takes some
   * milliseconds including its commands.
   */
  static final int RANKS_AT_ONCE = 1024;

  private final JobSpec spec;
  private final Placement placement;
  private final FailureLedger ledger;
  private final Ranks ranks;
  private final Injections injections;
  private final Outbox out;
  private final CheckpointRequests requests;
  private final RollbackScope scope;
  private final Kills kills;
  private final Departures departures;
  private final Arrivals arrivals;
  private final UnplacedRanks unplaced;
  private final SilentNodes silent;
  private final AllProcesses all;
  private final Examination examination;
  private final Losses losses;

  /** Whether lost ranks are replaced, at all times. */
  private final boolean replaces;

  private Phase phase = Phase.LAUNCHING;

  /**
   * Whether Start was sent in some epoch: there may be checkpoints even if no rank has reported
   * one.
   */
  private boolean begun;

  /** The position at which the last running rank began in this epoch; null before the first one. */
  private RankMessage.@Nullable Running from;

  /** Number of checkpoints rebuilt in this epoch. */
  private int rebuilt;

  /** The newest epoch in which standbys were requested. */
  private int standbyEpoch = -1;

  /** The first non-zero exit status of a rank. */
  private int exitStatus;

  private String exitReason = "";

  /**
   * Creates a job that has not begun.
   *
   * @throws IllegalArgumentException if the nodes have too few slots
   */
  public JobController(JobSpec spec) {
    this(spec, RANKS_AT_ONCE);
  }

  /** Creates a job whose events start, or kill for a restart, at most this many ranks each. */
  public JobController(JobSpec spec, int ranksAtOnce) {
    this(spec, ranksAtOnce, new ArrayList<>(), new ArrayList<>());
  }

  /** Creates a job for a simulation; {@code accesses} counts its work. */
  public JobController(JobSpec spec, AccessCounter accesses) {
    this(spec, RANKS_AT_ONCE, accesses.list(), accesses.list());
  }

  private JobController(JobSpec spec, int ranksAtOnce, List<PlacedNode> nodes, List<Rank> each) {
    this.spec = spec;
    this.placement = new Placement(spec, nodes);
    this.ledger = new FailureLedger(spec.size(), spec.recovery());
    this.ranks = new Ranks(spec.size(), each);
    this.injections = new Injections(spec.faults());
    this.out = new Outbox(placement);
    RecoveryPolicy policy = spec.recovery().policy();
    this.requests = new CheckpointRequests(spec.size(), policy, out);
    this.scope = new RollbackScope(policy, StoredDeterminants.mostBytes(spec.size()), out);
    this.kills = new Kills(ranks, ledger, out);
    OnFailure onFailure = policy.onFailure();
    this.replaces = onFailure == OnFailure.REPLACE;
    this.departures = new Departures(placement, ranks, kills, out, replaces);
    this.arrivals = new Arrivals(placement, out);
    this.unplaced = new UnplacedRanks(spec, placement, out, r -> spawn(ranks.get(r)));
    this.silent = new SilentNodes(placement, out);
    this.all = new AllProcesses(ranksAtOnce, ranks, placement, kills, out, this::spawn);
    this.examination = new Examination(spec, placement, ranks, ledger, kills, out);
    this.losses = new Losses(onFailure, placement, ranks, ledger, kills, silent, examination, out);
    if (onFailure == OnFailure.SHRINK) {
      requests.over("the ranks of this job take no checkpoints, as lost ranks are not replaced");
    }
  }

  /**
   * Returns the maximum memory for nondeterministic events of a job with this many ranks, in bytes.
   */
  public static long mostBytesOfDeterminants(int ranks) {
    return StoredDeterminants.mostBytes(ranks);
  }

  @Override
  public List<JobCommand> begin() {
    for (int n = 0; n < placement.nodes(); n++) {
      out.add(new JobCommand.Launch(n));
    }
    return out.take();
  }

  @Override
  public List<JobCommand> on(JobEvent event) {
    if (phase != Phase.ENDED && losses.take(event)) {
      afterLosses();
    } else if (phase != Phase.ENDED) {
      switch (event) {
        case JobEvent.NodeUp e -> onNodeUp(e.node(), e.memoryFree());
        case JobEvent.NodeLost e ->
            onNodeLost(
                e.node(),
                e.reason(),
                e.general() ? EndCause.CANNOT_START_ANYWHERE : EndCause.CANNOT_START);
        case JobEvent.DaemonLost e -> onDaemonLost(e.node(), e.reason());
        case JobEvent.NodeUnfit e -> onNodeLost(e.node(), e.reason(), EndCause.UNFIT_NODE);
        case JobEvent.NodeSilent e -> onNodeSilent(e.node(), e.alone());
        case JobEvent.NodeHeard e -> onNodeHeard(e.node());
        case JobEvent.NodeAdded e -> arrivals.add(e.node());
        case JobEvent.NodeGranted e -> unplaced.granted(e.node());
        case JobEvent.NodeRefused e -> {
          unplaced.refused(e.reason());
          placeUnplaced();
        }
        case JobEvent.NodeLeaving e -> {
          departures.announced(e.node(), e.reason(), e.soon());
          askForUrgent();
        }
        case JobEvent.NodeStays e -> {
          departures.revoked(e.node(), e.reason());
          placeUnplaced();
        }
        case JobEvent.FromNode e -> onFromNode(e.node(), e.message());
        case JobEvent.CheckpointAsked e -> requests.ask(e.asker(), e.files());
        case JobEvent.CheckpointWithdrawn e -> requests.withdrawn(e.asker());
        case JobEvent.RankKicked e ->
            onUseless(ranks.get(e.rank()), "user", "was killed by a user");
        case JobEvent.Continued _ -> onContinued();
        case JobEvent.Examined e ->
            onExamined(examination.answered(e.node(), e.round(), e.unreached()));
        case JobEvent.ExaminationOver e -> onExamined(examination.over(e.round()));
        case JobEvent.Interrupted e -> end(JobCommand.End.interrupted(e.signal()));
      }
    }
    return out.take();
  }

  @Override
  public int recoveries() {
    return ledger.recoveries();
  }

  private void enter(Phase next) {
    phase = phase.to(next);
  }

  private int epoch() {
    return ledger.recoveries();
  }

  // ---- nodes

  private void onNodeUp(int node, long memoryFree) {
    if (!placement.up(node, memoryFree)) {
      return;
    }
    unplaced.up(node);
    arrivals.up(node);
    if (standbyEpoch == epoch()) {
      out.add(placement.standbys(node));
    }
    if (phase == Phase.LAUNCHING) {
      startWhenNodesAreUp();
    } else {
      placeUnplaced();
      replaceSilent();
    }
  }

  private void onNodeSilent(int node, boolean alone) {
    if (silent.add(epoch(), node, alone)) {
      for (int r : placement.ranksOn(node)) {
        examination.gone(r); // it has stopped, and may continue
      }
      replaceSilent();
      onExamined(examination.lost(node));
    }
  }

  private void onNodeHeard(int node) {
    if (!silent.heard(epoch(), node)) {
      return;
    }
    arrivals.heard(node);
    if (phase == Phase.LAUNCHING) {
      startWhenNodesAreUp();
    } else {
      placeUnplaced();
      replaceSilent(); // there may be room on it
    }
  }

  /** Replaces ranks of silent nodes, one node per epoch as a group survives few losses at once. */
  private void replaceSilent() {
    int node;
    while (!losses.areFinal()
        && (phase == Phase.JOINING || phase == Phase.CONNECTING || phase == Phase.RUNNING)
        && (node = silent.replaceable(begun)) >= 0) {
      for (int r : placement.ranksOn(node)) {
        if (ranks.get(r).incarnation() >= 0) {
          out.kill(ranks.get(r));
        }
      }
      replace(placement.vacate(node, begun), placement.name(node) + " is silent");
    }
  }

  /** Finds nodes for ranks that have lost theirs. */
  private void replace(List<Integer> lost, String reason) {
    List<Integer> needed = lost.stream().filter(r -> ranks.get(r).life() != Life.GONE).toList();
    for (int r : needed) {
      Rank rank = ranks.get(r);
      if (rank.life() != Life.NONE) { // otherwise its first process has not been started
        ledger.nodeLost(r);
        ranks.lost(rank);
      }
      unplaced.add(r);
      examination.replaced(r);
    }
    placement.returning().forEach(r -> kills.restart(ranks.get(r)));
    if (needed.isEmpty() || recover(needed.getFirst(), reason)) {
      placeUnplaced(); // it may have been the last node that ranks waited for
    }
  }

  private void startWhenNodesAreUp() {
    if (!placement.start()) {
      return;
    }
    int used = placement.used();
    out.report(new Notice.Started(ranks.size(), used, placement.spares(), placement.groupLosses()));
    if (used > 1 && replaces) {
      out.reportUnprotected(ranks.size());
    }
    enter(Phase.JOINING);
    all.start();
  }

  private void onContinued() {
    all.proceed();
    if (phase == Phase.JOINING) {
      startIfAllJoined();
    }
  }

  private void onNodeLost(int node, String reason, EndCause cause) {
    if (placement.isLost(node)) {
      return;
    }
    List<Integer> lost = placement.lost(node);
    departures.lost(node);
    unplaced.lost(node);
    silent.lost(node);
    if (phase == Phase.LAUNCHING) {
      onNotLaunched(node, lost, reason, cause);
      return;
    }
    out.fence(epoch(), node, reason);
    arrivals.lost(node, reason);
    if (losses.areFinal()) {
      losses.ofNode(lost, placement.name(node) + " lost: " + reason);
      afterLosses();
      return;
    }
    if (phase == Phase.RELEASED) {
      if (lost.stream().anyMatch(r -> ranks.get(r).life() != Life.GONE)) {
        end(
            JobCommand.End.failed(
                EndCause.LOST_WHILE_ENDING,
                placement.name(node) + " was lost while the program was ending: " + reason));
      }
      return;
    }
    replace(lost, placement.name(node) + " lost: " + reason);
    onExamined(examination.lost(node));
  }

  /**
   * Handles the end of a daemon on a host that lives, as far as known. Its ranks have ended with
   * it, and go where there is a place. Another daemon takes over their checkpoints.
   */
  private void onDaemonLost(int node, String reason) {
    boolean replaced =
        (phase == Phase.JOINING || phase == Phase.CONNECTING || phase == Phase.RUNNING)
            && !losses.areFinal();
    if (!replaced || !placement.needsDaemon(node)) {
      onNodeLost(node, reason, EndCause.CANNOT_START);
      return;
    }
    silent.lost(node);
    if (placement.isReturning(node)) {
      out.add(new JobCommand.RestartDaemon(node)); // its failure was reported
    } else {
      out.restart(epoch(), node, reason);
    }
    replace(placement.awaitDaemon(node, begun), placement.name(node) + ": " + reason);
    onExamined(examination.lost(node));
  }

  /** Handles the failure of a node before any rank was started: a spare takes its place. */
  private void onNotLaunched(int node, List<Integer> planned, String reason, EndCause cause) {
    if (!placement.replan(planned)) {
      // Its daemon may have left something behind.
      out.add(new JobCommand.KillNode(node, reason));
      end(JobCommand.End.notBegun(cause, placement.name(node), reason));
      return;
    }
    out.fence(epoch(), node, reason);
    arrivals.lost(node, reason);
    planned.forEach(r -> out.reportReplanned(r, node));
    startWhenNodesAreUp();
  }

  /** Requests the checkpoint after which ranks leave a node that is lost in a moment. */
  private void askForUrgent() {
    if (departures.isUrgent()) {
      requests.soon();
    }
  }

  private void placeUnplaced() {
    JobCommand verdict = unplaced.place(this::shrink, this::lostForGood);
    if (verdict != null) {
      end(verdict);
    }
  }

  private @Nullable JobCommand lostForGood(int rank) {
    List<Integer> lost = placement.lostForGood(rank);
    return lost.isEmpty() || !ledger.wouldStartOver() || spec.recovery().policy().files()
        ? null
        : JobCommand.End.lost(
            "ranks "
                + lost
                + " of one checkpoint group have lost their nodes with their checkpoints, and the"
                + " group's code rebuilds fewer: the job does not wait for other nodes");
  }

  /** Ends this job for one with as many ranks as the nodes that are left have room for. */
  private JobCommand shrink() {
    List<Integer> nodes = placement.up();
    List<FaultSpec> pending = injections.pending();
    JobSpec next = Successor.of(spec, nodes, placement, pending, ledger.recoveries());
    for (FaultSpec fault : pending) {
      if (!Successor.isThere(fault, nodes, next.size())) {
        out.report(
            new Notice.KillMissed(
                fault.kill(), "the job has shrunk, and does not have it any more"));
      }
    }
    return new JobCommand.Shrink(next, ranks.size() - next.size());
  }

  // ---- processes

  private void spawn(Rank rank) {
    int r = rank.number();
    int node = placement.nodeOf(r);
    assert !placement.isLost(node); // a silent one learns of it when it is heard
    ranks.started(rank);
    ledger.started(r, node);
    if (placement.hasArrived(r) && rank.incarnation() > 0) {
      out.add(new JobCommand.ToNode(node, new ToDaemon.Forget(r)));
    }
    out.add(
        new JobCommand.Spawn(
            node,
            new Assignment(
                r,
                rank.incarnation(),
                placement.group(r),
                placement.load(node),
                injections.of(r, node))));
    if (epoch() > 0) {
      out.send(r, rank.incarnation(), revoke(JobMessage.Revoke.NONE));
    }
    out.reportSpawned(epoch(), r, rank.incarnation());
  }

  /** Restarts a rank whose process was lost, on its node unless that is hopeless. */
  private void respawn(Rank rank) {
    int r = rank.number();
    int node = placement.nodeOf(r);
    String hopeless =
        ledger.isHopelessHere(r)
            ? " before all ranks ran"
            : ledger.makesNoProgressOn(r, placement.name(node)) ? " without progress" : "";
    boolean returns = placement.returns(r);
    if (returns) {
      if (!placement.goBack(r)) {
        unplaced.add(r);
        placeUnplaced(); // there is room where it was
        return;
      }
      out.reportReturned(r, node);
    } else if (!examination.moveAway(r, begun)
        && (!hopeless.isEmpty() || placement.shedsRanks(node))
        && placement.moveAway(r, !hopeless.isEmpty(), begun)) {
      out.reportMoved(r, node, hopeless);
      out.reportPartner(r);
    }
    spawn(rank);
    if (returns) {
      placeUnplaced(); // there is room where it was
    }
  }

  private void onFromNode(int node, FromDaemon.OfRank message) {
    switch (message) {
      case FromDaemon.RankExited m -> onRankExited(node, m);
      case FromDaemon.RankStarted m -> ledger.joinedAfter(m.millis());
      case FromDaemon.RankLate m -> onRankLate(m);
      case FromDaemon.RankNotStarted m -> onRankNotStarted(node, m);
      case FromDaemon.RankSilent m -> {
        Rank rank = ranks.get(m.rank());
        if (rank.lives(m.incarnation())) {
          onUseless(rank, "daemon", "was silent for too long");
        }
      }
      case FromDaemon.RankDying m -> onRankDying(m.rank(), m.incarnation());
      case FromDaemon.RankWasDying m -> {
        if (ranks.get(m.rank()).incarnation() == m.incarnation()) {
          ledger.wasDying(m.rank());
        }
      }
      case FromDaemon.Relayed m -> onRelayed(m);
    }
  }

  private void onRankExited(int node, FromDaemon.RankExited e) {
    int r = e.rank();
    Rank rank = ranks.get(r);
    if (e.incarnation() != rank.incarnation()
        || node != placement.nodeOf(r)
        || rank.life() == Life.GONE) {
      return;
    }
    boolean wasDying = rank.life() == Life.DYING;
    if (phase == Phase.RELEASED) {
      if (e.signaled() && !wasDying) {
        // Work of the program after Fmi.close cannot be repeated.
        out.report(new Notice.RankFailed(epoch(), r, "daemon", e.how() + " after Fmi.close"));
      }
      gone(rank, e);
      return;
    }
    boolean accused = !wasDying && examination.isAccused(rank);
    JobCommand.End verdict = null;
    if (accused) {
      ledger.wasDying(r); // nothing but the failure itself has ended it
      verdict = examination.confirmed(r, ledger.how(e));
    }
    if (!wasDying) {
      examination.gone(r);
    }
    out.reportCause(r, ledger.reportedIn(r), ledger.cause(e));
    // Even if its peers noticed first and it was to be killed.
    JobCommand.End own = ledger.exited(e, rank.known());
    if (own != null) {
      end(own);
    } else if (verdict != null) {
      end(verdict);
    } else if (wasDying) {
      // The failure was handled when the kill was decided; only the new process is missing.
      ranks.lost(rank);
      respawn(rank);
    } else if (!rank.known() && !e.signaled()) {
      endedBeforeInit(rank, e);
    } else {
      String how = ledger.how(e);
      if (!accused) {
        out.report(new Notice.RankFailed(epoch(), r, "daemon", how));
      }
      ranks.lost(rank);
      if (recover(r, "rank " + r + " " + how)) {
        respawn(rank);
      }
    }
  }

  /** Handles a process that lives and does not join, for which all others wait. */
  private void onRankLate(FromDaemon.RankLate m) {
    Rank rank = ranks.get(m.rank());
    if (phase != Phase.JOINING
        || all.areUnderWay()
        || !rank.lives(m.incarnation())
        || !ledger.isLate(m.millis())) {
      return;
    }
    ranks.late(rank);
    for (Rank late : ranks.allThatAreAwaited()) {
      String how = "has not joined after " + m.millis() / 1000 + " s, and all other ranks wait";
      out.report(new Notice.RankFailed(epoch(), late.number(), "daemon", how));
      ledger.suspect(late.number(), epoch(), "it did not join");
      ledger.late(late.number());
      kills.kill(late);
    }
  }

  /** Handles a node that has no process to give: the node, and the other ranks on it, stay. */
  private void onRankNotStarted(int node, FromDaemon.RankNotStarted m) {
    Rank rank = ranks.get(m.rank());
    if (m.incarnation() != rank.incarnation() || node != placement.nodeOf(m.rank())) {
      return;
    }
    assert phase == Phase.JOINING : "a process that was not started has joined";
    boolean needed = rank.life() == Life.ALIVE;
    ranks.lost(rank);
    if (needed) {
      String how = "cannot be started on " + placement.name(node) + ": " + m.reason();
      out.report(new Notice.RankFailed(epoch(), m.rank(), "daemon", how));
      JobCommand.End verdict = ledger.notStarted(m.rank(), m.reason());
      if (verdict != null) {
        end(verdict);
        return;
      }
    }
    respawn(rank);
  }

  /**
   * Handles a program that does not use the library. That is allowed, unless other ranks of its job
   * wait for it.
   */
  private void endedBeforeInit(Rank rank, FromDaemon.RankExited e) {
    Rank other = ranks.firstKnown();
    if (e.status() != 0) {
      end(ledger.programFault(e, ", before Fmi.init"));
    } else if (other != null) {
      end(JobCommand.End.notAllJoined(rank.number(), other.number()));
    } else {
      gone(rank, e);
    }
  }

  /**
   * Handles what losses lead to where lost ranks are not replaced: others may wait only for them.
   */
  private void afterLosses() {
    JobCommand.End verdict = losses.verdict();
    if (verdict != null) {
      end(verdict);
    } else if (!ranks.allDead()) {
      if (phase == Phase.CONNECTING && ranks.allAt(Stage.RUNNING)) {
        allRun();
      }
      if (phase == Phase.RUNNING && ranks.allAt(Stage.FINISHED)) {
        release();
      }
      if (phase == Phase.RELEASED) {
        endIfAllGone();
      }
    }
  }

  private void gone(Rank rank, FromDaemon.RankExited e) {
    ranks.gone(rank);
    if (exitStatus == 0) {
      exitStatus = e.status();
      exitReason =
          exitStatus == 0 ? "" : "rank " + e.rank() + " " + ledger.how(e) + ", after Fmi.close";
    }
    endIfAllGone();
  }

  private void endIfAllGone() {
    if (ranks.allGone()) {
      injections.missed().forEach(out::report);
      end(new JobCommand.End(exitStatus, EndCause.ALL_ENDED, exitReason));
    }
  }

  /** Handles a process that lives and is to be replaced, if there is one. */
  private void onUseless(Rank rank, String by, String how) {
    int r = rank.number();
    if (rank.life() != Life.ALIVE) {
      return;
    }
    if (phase == Phase.RELEASED) {
      // Only the end of the job waits for it: its status counts like any other.
      out.report(new Notice.RankFailed(epoch(), r, by, how + " after Fmi.close"));
      kills.kill(rank);
      return;
    }
    out.report(new Notice.RankFailed(epoch(), r, by, how));
    ledger.suspect(r, epoch(), "it " + how);
    examination.gone(r);
    kills.kill(rank);
    recover(r, "rank " + r + " " + how);
  }

  /** Notifies the other ranks. Everything else waits for the exit, which gives the cause. */
  private void onRankDying(int r, int incarnation) {
    Rank rank = ranks.get(r);
    if (rank.lives(incarnation) && examination.isAccused(rank)) {
      JobCommand.End verdict = examination.confirmed(r, "was killed");
      examination.gone(r);
      ledger.wasDying(r); // its failure was reported, and no epoch has started since
      kills.kill(rank);
      if (verdict != null) {
        end(verdict);
      }
    } else if (rank.lives(incarnation) && (phase == Phase.CONNECTING || phase == Phase.RUNNING)) {
      out.report(new Notice.RankFailed(epoch(), r, "daemon", "was killed"));
      ledger.dying(r, epoch());
      kills.kill(rank);
      recover(r, "rank " + r + " was killed");
    }
  }

  // ---- recovery

  /**
   * Sends every rank back to H1, unless it is there.
   *
   * @param failed a rank that has failed, or {@link JobMessage.Revoke#NONE}
   * @return whether the job continues
   */
  private boolean recover(int failed, String reason) {
    // Before Start, nothing was sent in this epoch, so it can still be used.
    return phase == Phase.JOINING || beginEpoch(failed, reason);
  }

  private boolean beginEpoch(int failed, String reason) {
    boolean counts = phase == Phase.RUNNING && failed != JobMessage.Revoke.NONE;
    return beginEpoch(failed, reason, counts);
  }

  /**
   * Begins an epoch, unless the job ends.
   *
   * @param counts whether a job that makes no progress ends after some of these
   */
  private boolean beginEpoch(int failed, String reason, boolean counts) {
    if (phase == Phase.RELEASED) {
      end(
          JobCommand.End.failed(
              EndCause.LOST_WHILE_ENDING, reason + ", while the program was ending"));
      return false;
    }
    if (losses.neverRecover()) {
      end(JobCommand.End.failed(EndCause.UNRECOVERABLE, reason));
      return false;
    }
    JobCommand.End verdict = ledger.recover(reason);
    if (verdict == null && counts) {
      String node = placement.name(ledger.nodeOf(failed));
      verdict = ledger.failedWhileAllRan(failed, node, reason);
    }
    if (verdict != null) {
      end(verdict);
      return false;
    }
    enter(Phase.JOINING);
    ranks.beginEpoch();
    requests.left(epoch());
    all.epochBegins();
    rebuilt = 0;
    out.recovering(epoch(), reason);
    out.sendToAll(revoke(failed));
    return true;
  }

  private JobMessage.Revoke revoke(int failed) {
    return new JobMessage.Revoke(epoch(), failed, ledger.without());
  }

  private void onRelayed(FromDaemon.Relayed e) {
    Rank rank = ranks.get(e.rank());
    if (e.message() instanceof RankMessage.Failed m && e.incarnation() == rank.incarnation()) {
      // Even if another rank has noticed its end first.
      ledger.thrown(e.rank(), m);
      out.reportThrown(epoch(), e.rank(), m);
    }
    if (!rank.lives(e.incarnation())) {
      return;
    }
    switch (e.message()) {
      case RankMessage.Joined m -> onJoined(rank, m);
      case RankMessage.Connected m -> onConnected(rank, m);
      case RankMessage.Running m -> onRunning(rank, m);
      case RankMessage.Left m -> {
        ledger.left(m.left().loop(), m.left().iteration());
        out.report(m.left());
      }
      case RankMessage.FilesRead m -> out.restored(m, ledger.filesRead(m.loop(), m.iteration()));
      case RankMessage.Notify m -> out.report(m.notice());
      case RankMessage.ChoiceReport m -> scope.on(rank.number(), rank.incarnation(), m);
      case RankMessage.LocalImpossible m -> {
        if (m.epoch() == epoch()) {
          scope.impossible(m.reason());
          boolean _ = recover(JobMessage.Revoke.NONE, m.reason());
        }
      }
      case RankMessage.Suspect m -> onSuspect(rank, m);
      case RankMessage.CheckpointDone m -> onCheckpointDone(m);
      case RankMessage.CheckpointSkipped m -> {
        if (m.skipped().epoch() == epoch()) {
          out.report(m.skipped());
          requests.skipped(m.at(), m.skipped().answer());
        }
      }
      case RankMessage.Stops m -> requests.stops(rank.number(), m);
      case RankMessage.CheckpointWanted m -> requests.wanted(m);
      case RankMessage.AtFault m -> onAtFault(rank, m.fault());
      case RankMessage.RestartNeeded m -> {
        if (m.epoch() == epoch() && recover(JobMessage.Revoke.NONE, m.reason())) {
          all.restart(epoch(), m.reason());
        }
      }
      case RankMessage.CannotContinue m -> {
        boolean counts = m.epoch() == RankMessage.CannotContinue.ANY_EPOCH || m.epoch() == epoch();
        if (counts && phase != Phase.RELEASED) {
          onCannotContinue(rank, m.reason());
        }
      }
      case RankMessage.Unrecoverable m -> {
        if (m.epoch() == epoch()) {
          end(JobCommand.End.unrecoverable(m));
        }
      }
      case RankMessage.ProgramFault m -> {
        if (m.epoch() == epoch()) {
          end(JobCommand.End.programFault(m.reason()));
        }
      }
      case RankMessage.Finished m -> onFinished(rank, m);
      case RankMessage.Failed _ -> {} // see above
      case RankMessage.Agrees _, RankMessage.Revokes _ -> {} // of a job that shrinks: see Losses
      case RankMessage.Abort m -> end(JobCommand.End.aborted(e.rank(), m.status()));
    }
  }

  private void onJoined(Rank rank, RankMessage.Joined m) {
    ranks.known(rank);
    if (m.epoch() != epoch() || phase != Phase.JOINING) {
      return; // of an older epoch; its Revoke is in transit
    }
    Rank gone = ranks.firstGone();
    if (gone != null) {
      end(JobCommand.End.notAllJoined(gone.number(), rank.number()));
      return;
    }
    ranks.joined(rank, m);
    out.report(new Notice.Joined(epoch(), rank.number()));
    if (m.position() == Position.OUTSIDE) {
      all.restart(epoch(), "rank " + rank.number() + " is outside of a loop");
    }
    startIfAllJoined();
  }

  private void startIfAllJoined() {
    if (ranks.allAt(Stage.JOINED) && !all.areUnderWay() && !examination.isUnderWay()) {
      start();
    }
  }

  private void start() {
    AddressTable endpoints = ranks.addresses();
    List<RankMessage.Joined> joined = ranks.start();
    boolean rollback = joined.stream().anyMatch(m -> m.position() != Position.FRESH);
    enter(Phase.CONNECTING);
    placement.rebuilds();
    begun = true;
    losses.begun();
    all.begun();
    out.report(new Notice.AllJoined(epoch()));
    long local = scope.decide(epoch(), joined, r -> ranks.get(r).incarnation());
    out.sendToAll(new JobMessage.Start(epoch(), rollback, local, endpoints));
  }

  private void onConnected(Rank rank, RankMessage.Connected m) {
    if (m.epoch() == epoch() && phase == Phase.CONNECTING && ranks.reach(rank, Stage.CONNECTED)) {
      ledger.connected();
      out.report(new Notice.AllConnected(epoch(), m.overlay()));
    }
  }

  private void onRunning(Rank rank, RankMessage.Running m) {
    if (m.epoch() != epoch() || phase != Phase.CONNECTING) {
      return;
    }
    boolean all = ranks.reach(rank, Stage.RUNNING);
    rebuilt += m.rebuilt() ? 1 : 0;
    assert rebuilt <= ranks.size();
    from = m;
    if (all) {
      allRun();
    }
  }

  private void allRun() {
    RankMessage.Running m = Objects.requireNonNull(from);
    JobCommand.End verdict = ledger.allRun(m.iteration());
    if (verdict != null) {
      end(verdict);
      return;
    }
    enter(Phase.RUNNING);
    forget(placement.allRun());
    askForUrgent();
    out.report(new Notice.AllRunning(epoch(), m.loop(), m.iteration(), rebuilt));
    requests.running();
    replaceSilent(); // their checkpoints can be rebuilt now
  }

  private void forget(List<Placement.Left> obsolete) {
    for (Placement.Left each : obsolete) {
      out.add(new JobCommand.ToNode(each.node(), new ToDaemon.Forget(each.rank())));
    }
  }

  private void onSuspect(Rank by, RankMessage.Suspect m) {
    if (!ranks.isRank(m.rank())) {
      return;
    }
    out.report(new Notice.Notified(m.epoch(), by.number(), m.rank(), m.hops(), m.heardNanos()));
    Rank suspect = ranks.get(m.rank());
    if (m.epoch() != epoch() || phase == Phase.RELEASED) {
      if (m.hops() == 0) {
        examination.accusedBy(by, m.rank());
      }
      return;
    }
    if (silent.hold(m.rank())) {
      // Its process has stopped, and may continue.
      beginEpoch(JobMessage.Revoke.NONE, "rank " + m.rank() + " is on a silent node");
      return;
    }
    assert suspect.life() == Life.ALIVE || phase == Phase.JOINING;
    boolean examined = suspect.life() == Life.ALIVE && examination.concerns(by, suspect, m.hops());
    if (suspect.life() == Life.ALIVE && !(examined && examination.isAccused(suspect))) {
      out.report(
          new Notice.RankFailed(
              epoch(), m.rank(), "rank " + by.number() + " over the overlay", m.reason()));
      ledger.suspect(m.rank(), epoch(), "rank " + by.number() + " reported: " + m.reason());
      if (phase == Phase.CONNECTING && by.stage() == Stage.JOINED && m.hops() == 0) {
        ledger.unconnected(m.overlay());
      }
      if (!examined) {
        examination.gone(m.rank());
        kills.kill(suspect);
      }
    }
    // Even before Start: the rank has learned of the failure, so this epoch is over for it.
    int failed = examined ? JobMessage.Revoke.NONE : m.rank();
    String reason = "rank " + m.rank() + ": " + m.reason();
    boolean allRan = phase == Phase.RUNNING;
    if (beginEpoch(failed, reason) && examined) {
      examination.accuse(by, suspect, allRan);
    }
  }

  private void onExamined(boolean allIsKnown) {
    if (!allIsKnown || phase == Phase.ENDED) {
      return;
    }
    assert phase == Phase.JOINING : "an epoch was started in " + phase;
    JobCommand.End verdict = examination.decide(begun);
    if (verdict != null) {
      end(verdict);
    } else {
      startIfAllJoined();
    }
  }

  /** Replaces a process to which its system refuses something; the node may be the reason. */
  private void onCannotContinue(Rank rank, String reason) {
    int r = rank.number();
    out.report(new Notice.RankFailed(epoch(), r, "itself", reason));
    ledger.refused(r, epoch(), reason);
    kills.kill(rank);
    boolean _ = recover(r, "rank " + r + " " + reason);
  }

  private void onCheckpointDone(RankMessage.CheckpointDone m) {
    Notice.CheckpointCommitted committed = m.committed();
    if (committed.epoch() != epoch()) {
      return;
    }
    ledger.committed(committed.version(), committed.loop(), committed.iteration());
    placement.checkpoint(committed.bytes());
    forget(placement.committed());
    injections.checkpointAt(committed.iteration());
    out.committed(committed);
    requests.committed(m);
    examination.progress();
    if (standbyEpoch < epoch()) {
      // Not earlier: standbys must not slow down the start of the job or a recovery, and short
      // programs should not pay for them.
      standbyEpoch = epoch();
      placement.standbys().forEach(out::add);
    }
    if (phase == Phase.RUNNING && departures.begin()) {
      beginEpoch(departures.first(), departures.reason(), false);
    }
  }

  private void onAtFault(Rank rank, int id) {
    int r = rank.number();
    JobCommand kill = injections.strike(id, placement.nodeOf(r), r, rank.incarnation());
    if (kill != null) {
      if (kill instanceof JobCommand.ToNode) {
        ledger.injected(r);
      }
      out.add(kill);
    }
  }

  private void onFinished(Rank rank, RankMessage.Finished m) {
    if (m.epoch() == epoch() && ranks.reach(rank, Stage.FINISHED)) {
      release();
    }
  }

  private void release() {
    enter(Phase.RELEASED);
    losses.released();
    out.sendToAll(new JobMessage.Release());
    requests.over("the program has completed");
  }

  private void end(JobCommand end) {
    enter(Phase.ENDED);
    if (!(end instanceof JobCommand.Shrink)) { // otherwise they are made again, to the next job
      requests.over("the job is ending");
    }
    out.add(end);
  }
}
