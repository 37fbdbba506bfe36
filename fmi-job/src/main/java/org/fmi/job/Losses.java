package org.fmi.job;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.Membership.Answer;
import org.fmi.job.Ranks.Life;
import org.fmi.job.Ranks.Rank;
import org.fmi.job.control.FromDaemon;
import org.fmi.spi.OnFailure;
import org.jspecify.annotations.Nullable;

/**
 * The failures of a job that replaces no rank, from Start on. Before, the program has run nowhere,
 * and a lost process is replaced as in any job.
 *
 * <p>If the loss of a rank ends the job, the process is killed and its exit awaited, which gives
 * the job's status. If the job shrinks, the rank is dead at once and for good: all living ranks
 * hear of the deaths in one order, and no epoch begins.
 *
 * <pre>
 *  event             ends at the first loss         shrinks
 *  RankExited        end                            dead; after Release: counted, or dead if killed
 *  RankSilent, RankKicked, CannotContinue   kill it, then as RankExited    kill it, dead
 *  RankDying         kill it, then as RankExited    kill it, dead
 *  NodeLost          end                            its ranks are dead
 *  NodeSilent        wait                           its ranks are dead if most nodes are heard, else wait
 *  Suspect           epoch, examine                 silence: examine. Otherwise: kill it, dead
 *  Agrees, Revokes   -                              answer
 * </pre>
 */
final class Losses {
  private final OnFailure onFailure;
  private final Placement placement;
  private final Ranks ranks;
  private final FailureLedger ledger;
  private final Kills kills;
  private final SilentNodes silent;
  private final Examination examination;
  private final Outbox out;
  private final Membership membership = new Membership();

  /** Why ranks were lost whose exit follows, as predicates; by rank. */
  private final Map<Integer, String> reasons = new HashMap<>();

  /** Whether Start was sent. */
  private boolean begun;

  /** Whether all living ranks have finished. */
  private boolean released;

  private @Nullable Rank first;

  /** The end of a job whose first lost rank ended as this one did; null while that is unknown. */
  private JobCommand.@Nullable End endOfFirst;

  /** The end of the job because its ranks contradict each other; null if they do not. */
  private JobCommand.@Nullable End fault;

  Losses(
      OnFailure onFailure,
      Placement placement,
      Ranks ranks,
      FailureLedger ledger,
      Kills kills,
      SilentNodes silent,
      Examination examination,
      Outbox out) {
    this.onFailure = onFailure;
    this.placement = placement;
    this.ranks = ranks;
    this.ledger = ledger;
    this.kills = kills;
    this.silent = silent;
    this.examination = examination;
    this.out = out;
  }

  /** Notes that Start was sent. */
  void begun() {
    begun = true;
  }

  /** Notes that all living ranks have finished, and may leave. */
  void released() {
    released = true;
  }

  /** Whether a rank that is lost now is not replaced. */
  boolean areFinal() {
    return switch (onFailure) {
      case REPLACE -> false;
      case END -> begun && !released;
      case SHRINK -> begun;
    };
  }

  /** Whether no epoch may begin any more. */
  boolean neverRecover() {
    return shrinks() && begun;
  }

  private boolean shrinks() {
    return onFailure == OnFailure.SHRINK;
  }

  /**
   * Returns the end of the job; null if it continues. Of a job that has lost all its ranks, the
   * first loss gives the status.
   */
  JobCommand.@Nullable End verdict() {
    JobCommand.End end = endOfFirst;
    if (fault != null || end == null || !shrinks()) {
      return fault == null ? end : fault;
    }
    if (membership.deaths() < ranks.size()) {
      return null;
    }
    return ranks.size() == 1
        ? end
        : new JobCommand.End(
            end.status(), end.cause(), "all ranks are lost; the first loss: " + end.message());
  }

  // ---- events

  /**
   * Takes an event that is a failure, or an agreement about failures; returns whether it is one.
   */
  boolean take(JobEvent event) {
    if (!areFinal()) {
      return false;
    }
    return switch (event) {
      case JobEvent.RankKicked e -> useless(e.rank(), "user", "was killed by a user");
      case JobEvent.FromNode e -> onFromNode(e.node(), e.message());
      case JobEvent.NodeSilent e -> shrinks() && onNodeSilent(e.node(), e.alone());
      case JobEvent.Examined e ->
          shrinks() && onExamined(examination.answered(e.node(), e.round(), e.unreached()));
      case JobEvent.ExaminationOver e -> shrinks() && onExamined(examination.over(e.round()));
      default -> false;
    };
  }

  private boolean onFromNode(int node, FromDaemon.OfRank message) {
    return switch (message) {
      case FromDaemon.RankExited m -> onExited(node, m);
      case FromDaemon.RankSilent m ->
          !lives(m.rank(), m.incarnation())
              || useless(m.rank(), "daemon", "was silent for too long");
      case FromDaemon.RankDying m -> {
        if (lives(m.rank(), m.incarnation()) && !released) {
          lose(ranks.get(m.rank()), "daemon", "was killed");
          ledger.dying(m.rank(), ledger.recoveries());
        }
        yield true; // its exit follows
      }
      case FromDaemon.Relayed m -> lives(m.rank(), m.incarnation()) && onSaid(m);
      case FromDaemon.RankStarted _,
          FromDaemon.RankLate _,
          FromDaemon.RankNotStarted _,
          FromDaemon.RankWasDying _ ->
          false;
    };
  }

  private boolean lives(int rank, int incarnation) {
    return ranks.get(rank).lives(incarnation);
  }

  private boolean onSaid(FromDaemon.Relayed said) {
    int rank = said.rank();
    switch (said.message()) {
      case RankMessage.CannotContinue m -> {
        lose(ranks.get(rank), "itself", m.reason());
        ledger.refused(rank, ledger.recoveries(), m.reason());
      }
      case RankMessage.Suspect m -> {
        if (!shrinks()) {
          return false;
        }
        onSuspect(ranks.get(rank), m);
      }
      case RankMessage.Agrees m -> {
        try {
          send(membership.asks(rank, m));
        } catch (Membership.Disagreement e) {
          fault = JobCommand.End.programFault(String.valueOf(e.getMessage()));
        }
      }
      case RankMessage.Revokes m -> send(membership.revokes(m));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void send(List<Answer> answers) {
    for (Answer answer : answers) {
      answer.to().stream()
          .filter(r -> ranks.get(r).life() == Life.ALIVE) // another one is the next to be mourned
          .forEach(r -> out.send(r, ranks.get(r).incarnation(), answer.message()));
    }
  }

  /** Handles a process that lives and is of no use. */
  private boolean useless(int r, String by, String how) {
    Rank rank = ranks.get(r);
    if (rank.life() == Life.ALIVE) {
      lose(rank, by, how);
      ledger.suspect(r, ledger.recoveries(), "it " + how);
    }
    return true;
  }

  private boolean onExited(int node, FromDaemon.RankExited e) {
    int r = e.rank();
    Rank rank = ranks.get(r);
    if (e.incarnation() != rank.incarnation()
        || node != placement.nodeOf(r)
        || rank.life() == Life.GONE) {
      return true;
    }
    if (released && rank.life() == Life.ALIVE && !e.signaled()) {
      return false; // its status counts
    }
    if (rank.life() == Life.ALIVE) {
      String how = ledger.how(e);
      out.report(new Notice.RankFailed(ledger.recoveries(), r, "daemon", how + afterClose()));
      ranks.lost(rank);
      mourn(rank, "daemon", how);
    } else {
      out.reportCause(r, ledger.reportedIn(r), ledger.cause(e));
      if (first == null) {
        first = rank; // it was killed in an epoch without a loss
      }
    }
    if (rank.equals(first) && endOfFirst == null) {
      endOfFirst = endOf(e);
    }
    return true;
  }

  private JobCommand.End endOf(FromDaemon.RankExited e) {
    boolean killedForIt = ledger.reportedIn(e.rank()) >= 0 && ledger.cause(e) == null;
    if (!killedForIt && FailureLedger.isOwnFault(e)) {
      return ledger.programFault(e, "");
    }
    String how = killedForIt ? reasons.getOrDefault(e.rank(), e.how()) : ledger.how(e);
    return new JobCommand.End(e.status(), cause(), "rank " + e.rank() + " " + how);
  }

  private EndCause cause() {
    return shrinks() ? EndCause.ALL_LOST : EndCause.LOSS_ENDS;
  }

  private String afterClose() {
    return released ? " after Fmi.close" : "";
  }

  /** Handles the loss of a node with all that ran there. */
  void ofNode(List<Integer> lost, String reason) {
    List<Rank> fallen =
        lost.stream()
            .map(ranks::get)
            .filter(rank -> rank.life() == Life.ALIVE || rank.life() == Life.DYING)
            .toList();
    fallen.forEach(ranks::lost); // all of them, as the first one's death may complete agreements
    fallen.forEach(rank -> mourn(rank, "fmirun", reason));
    if (first != null && lost.contains(first.number()) && endOfFirst == null) {
      endOfFirst = JobCommand.End.failed(cause(), reason);
    }
  }

  private boolean onNodeSilent(int node, boolean alone) {
    if (silent.add(ledger.recoveries(), node, alone)) {
      for (int r : placement.ranksOn(node)) {
        if (alone && ranks.get(r).life() == Life.ALIVE) {
          out.kill(ranks.get(r)); // it has stopped; this arrives before it may continue
          ranks.lost(ranks.get(r));
          mourn(ranks.get(r), "fmirun", placement.name(node) + " is silent");
        }
      }
      boolean _ = onExamined(examination.lost(node));
    }
    return true;
  }

  private void onSuspect(Rank by, RankMessage.Suspect m) {
    if (!ranks.isRank(m.rank())) {
      return;
    }
    out.report(new Notice.Notified(m.epoch(), by.number(), m.rank(), m.hops(), m.heardNanos()));
    Rank suspect = ranks.get(m.rank());
    if (suspect.life() != Life.ALIVE || released) {
      return;
    }
    if (m.silence()) {
      examination.accuse(by, suspect, false);
      return;
    }
    if (silent.hold(m.rank())) {
      return;
    }
    lose(suspect, "rank " + by.number() + " over the overlay", m.reason());
    ledger.suspect(
        m.rank(), ledger.recoveries(), "rank " + by.number() + " reported: " + m.reason());
  }

  /** Judges once the daemons have answered: nodes that others do not hear lose their ranks. */
  private boolean onExamined(boolean allIsKnown) {
    if (!allIsKnown) {
      return true;
    }
    Examination.Separated separated;
    while ((separated = examination.separated(nodesWithRanks())) != null) {
      for (int r : placement.ranksOn(separated.node())) {
        boolean _ = useless(r, "fmirun", separated.reason());
      }
    }
    for (int r : examination.acquit()) {
      boolean _ = useless(r, "fmirun", "was silent again");
    }
    return true;
  }

  private List<Integer> nodesWithRanks() {
    TreeSet<Integer> nodes = new TreeSet<>();
    for (int r = 0; r < ranks.size(); r++) {
      if (ranks.get(r).life() == Life.ALIVE) {
        nodes.add(placement.nodeOf(r));
      }
    }
    return List.copyOf(nodes);
  }

  // ---- what follows

  /** Handles the loss of a rank whose process may live. */
  private void lose(Rank rank, String by, String how) {
    out.report(new Notice.RankFailed(ledger.recoveries(), rank.number(), by, how + afterClose()));
    kills.kill(rank);
    mourn(rank, by, how);
  }

  /** Handles the loss of a rank whose process has ended, or is being killed. */
  private void mourn(Rank rank, String by, String reason) {
    int r = rank.number();
    examination.gone(r);
    reasons.putIfAbsent(r, reason);
    if (first == null) {
      first = rank;
    }
    if (!shrinks() || membership.isDead(r)) {
      return;
    }
    ranks.dead(rank);
    List<Answer> answers = membership.died(r);
    long seq = membership.deaths();
    int living = ranks.size() - (int) seq;
    out.report(new Notice.Died(seq, r, living, by, reason));
    if (!released) {
      out.sendToAll(new JobMessage.Dead(seq, r, by, reason));
      send(answers);
    }
  }
}
