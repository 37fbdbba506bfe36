package org.fmi.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.job.Links.Link;
import org.fmi.job.Links.Verdict;
import org.fmi.job.Ranks.Rank;
import org.jspecify.annotations.Nullable;

/**
 * The examination of accusations. A rank that loses a rank on another node cannot know whether that
 * process, either node, or the link between the nodes has failed. So the daemons of all nodes find
 * out which nodes they reach, and {@link Links} judges: ranks move away from broken links, and an
 * accused process that lives and is reached continues. No epoch starts in between.
 *
 * <pre>
 *         accused         L / 10        all have answered, or L is over
 *   IDLE --------> HEARD --------> ASKING ------------------------------> IDLE: whole, or ranks move
 *                                   ^  |
 *                         L is over |  | no move helps, or a job that shrinks lacks an answer
 *                                  WAITING
 *
 *   all accused processes have ended: IDLE
 * </pre>
 *
 * <p>Most accused processes have died, as their daemons report within milliseconds; then no daemon
 * is asked.
 *
 * <p>A process that is accused again before the next checkpoint, although all nodes still hear each
 * other, is killed: something within it has failed.
 */
final class Examination {
  /**
   * Up to this many nodes, all measure; in larger jobs those that may have to move, and free ones.
   */
  private static final int ALL_MEASURE = 64;

  /** The most free nodes that measure in larger jobs. */
  private static final int FREE_MEASURE = 16;

  /** The number of examinations after which a job that may not wait ends. */
  private static final int MOST_ROUNDS = 6;

  /** Tenths of the heartbeat's timeout until daemons are asked. */
  private static final int BEFORE_ASKING = 1;

  /** Tenths of the heartbeat's timeout in which daemons answer. */
  private static final int TO_ANSWER = 10;

  /**
   * Tenths of the heartbeat's timeout after which a job without checkpoints forgets that a process
   * was accused without a cause.
   */
  private static final int TO_FORGET = 50;

  private enum State {
    IDLE,
    HEARD,
    ASKING,
    WAITING
  }

  /** A move that the links ask for. */
  private record Move(int to, boolean beyondSlots, Link link) {}

  private final JobSpec.OnNoSpare policy;
  private final Placement placement;
  private final Ranks ranks;
  private final FailureLedger ledger;
  private final Kills kills;
  private final Outbox out;

  private State state = State.IDLE;
  private int round;
  private Links links = new Links();

  /** Nodes that have not answered. */
  private final BitSet awaited = new BitSet();

  /** Nodes of accusing and accused ranks. */
  private final BitSet concerned = new BitSet();

  /** The accused process of a rank, and its accuser. */
  private final Map<Integer, Integer> accused = new TreeMap<>();

  private final Map<Integer, Integer> accusers = new TreeMap<>();

  /** Ranks whose accused processes ran, as all ranks did. */
  private final BitSet ran = new BitSet();

  /** Processes that were accused without a cause since the last checkpoint. */
  private final Map<Integer, Integer> acquitted = new TreeMap<>();

  /** The moves of ranks whose processes are being killed. */
  private final Map<Integer, Move> moves = new TreeMap<>();

  /** Whether the end of the current wait means that acquittals are forgotten. */
  private boolean forgets;

  /** The number of examinations in a row that found broken links without a remedy. */
  private int brokenRounds;

  Examination(
      JobSpec spec,
      Placement placement,
      Ranks ranks,
      FailureLedger ledger,
      Kills kills,
      Outbox out) {
    this.policy = spec.room().onNoSpare();
    this.placement = placement;
    this.ranks = ranks;
    this.ledger = ledger;
    this.kills = kills;
    this.out = out;
  }

  /**
   * Whether an accusation is examined: the link between two nodes may be its cause.
   *
   * @param hops the number of ranks that have forwarded it; the first accuser is known if 0
   */
  boolean concerns(Rank by, Rank suspect, int hops) {
    return hops > 0 || placement.nodeOf(by.number()) != placement.nodeOf(suspect.number());
  }

  /** Whether no epoch may start. */
  boolean isUnderWay() {
    return state != State.IDLE;
  }

  /** Whether the newest process of a rank is accused. */
  boolean isAccused(Rank rank) {
    return accused.getOrDefault(rank.number(), -1) == rank.incarnation();
  }

  /**
   * Notes an accusation, which is examined soon.
   *
   * @param allRan whether all ranks ran until then
   */
  void accuse(Rank by, Rank suspect, boolean allRan) {
    if (allRan) {
      ran.set(suspect.number());
    }
    accused.put(suspect.number(), suspect.incarnation());
    accusers.put(suspect.number(), by.number());
    concerned.set(placement.nodeOf(by.number()));
    concerned.set(placement.nodeOf(suspect.number()));
    if (state == State.IDLE) {
      brokenRounds = 0;
      forgets = false;
      state = State.HEARD;
      out.add(new JobCommand.AwaitExamination(++round, BEFORE_ASKING));
    }
  }

  /** Notes that another rank has accused a process that is accused already. */
  void accusedBy(Rank by, int rank) {
    if (accused.containsKey(rank)) {
      accusers.put(rank, by.number());
      concerned.set(placement.nodeOf(by.number()));
    }
  }

  private void ask() {
    state = State.ASKING;
    round++;
    links = new Links();
    awaited.clear();
    for (int n = 0; n < placement.nodes(); n++) {
      awaited.set(n, placement.isUp(n));
    }
    List<Integer> all = awaited.stream().boxed().toList();
    int free = 0;
    for (int node : all) {
      free += placement.load(node) == 0 ? 1 : 0;
      boolean measures =
          all.size() <= ALL_MEASURE
              || concerned.get(node)
              || (placement.load(node) == 0 && free <= FREE_MEASURE);
      out.add(new JobCommand.Examine(node, round, measures ? all : List.of()));
    }
    out.add(new JobCommand.AwaitExamination(round, TO_ANSWER));
  }

  // ---- events; each returns whether all is known that will be

  /** Notes the answer of a daemon: the nodes that it cannot reach. */
  boolean answered(int node, int answeredRound, List<Integer> unreached) {
    if (state != State.ASKING || answeredRound != round || !awaited.get(node)) {
      return false;
    }
    awaited.clear(node);
    links.answered(node, unreached);
    return isDue();
  }

  private boolean isDue() {
    return state == State.ASKING && awaited.isEmpty();
  }

  /** Notes the end of a wait: daemons that have not answered no longer count. */
  boolean over(int overRound) {
    if (overRound != round) {
      return false;
    }
    if (state == State.HEARD || state == State.WAITING) {
      ask();
      return false;
    }
    if (state == State.IDLE && forgets) {
      forgets = false;
      acquitted.clear();
    }
    awaited.clear();
    return isDue();
  }

  /** Notes that a node is lost or silent, and is not judged. */
  boolean lost(int node) {
    awaited.clear(node);
    links.lost(node);
    moves.values().removeIf(move -> move.to == node);
    return isDue();
  }

  /** Notes that a rank gets another node. */
  void replaced(int rank) {
    moves.remove(rank);
    gone(rank);
  }

  /** Notes that a rank's process has ended, or is being killed for another reason. */
  void gone(int rank) {
    ran.clear(rank);
    accusers.remove(rank);
    accused.remove(rank);
    if (accused.isEmpty()) {
      end();
    }
  }

  /**
   * Notes that an accused process has failed indeed: a failure while all ranks ran, if they did.
   *
   * @param how what it has died of, as a clause that follows the rank
   * @return the end of the job; null if it continues
   */
  JobCommand.@Nullable End confirmed(int rank, String how) {
    return ran.get(rank)
        ? ledger.failedWhileAllRan(rank, placement.name(ledger.nodeOf(rank)), how)
        : null;
  }

  private void end() {
    state = State.IDLE;
    ran.clear();
    accused.clear();
    accusers.clear();
    concerned.clear();
  }

  /** Notes that a checkpoint is committed. */
  void progress() {
    acquitted.clear();
  }

  // ---- the judgement

  /**
   * Judges, and kills processes that must move or are accused again.
   *
   * @param begun whether there may be checkpoints
   * @return the end of the job; null if it continues
   */
  JobCommand.@Nullable End decide(boolean begun) {
    for (int n = 0; n < placement.nodes(); n++) {
      if (links.isWhole(n)) {
        placement.linked(n);
      }
    }
    boolean beyondSlots = false;
    Verdict verdict = links.judge(placement.placesFor(begun, false));
    if (verdict instanceof Verdict.Broken && policy == JobSpec.OnNoSpare.SHARE) {
      beyondSlots = true;
      verdict = links.judge(placement.placesFor(begun, true));
    }
    switch (verdict) {
      case Verdict.Whole _ -> {
        JobCommand.End end = acquitAll();
        end();
        return end;
      }
      case Verdict.Move move -> {
        move(move, beyondSlots);
        end();
      }
      case Verdict.Broken broken -> {
        // Then others of their groups may move.
        placement.homes().forEach((r, to) -> move(r, to, false, broken.broken()));
        return await(broken.broken());
      }
    }
    return null;
  }

  /**
   * A node whose ranks are lost because other nodes do not hear it.
   *
   * @param reason a predicate whose subject is a rank
   */
  record Separated(int node, String reason) {}

  /**
   * Returns the node whose loss mends the most links between nodes with ranks, in a job that moves
   * no rank; null if all hear each other.
   */
  @Nullable Separated separated(List<Integer> used) {
    int node = links.worst(used);
    if (node < 0) {
      return null;
    }
    int other = used.stream().filter(n -> links.isBroken(node, n)).findFirst().orElseThrow();
    return new Separated(node, "is lost because " + text(List.of(linkOf(node, other))));
  }

  private static Link linkOf(int a, int b) {
    return new Link(Math.min(a, b), Math.max(a, b));
  }

  /**
   * Acquits the accused processes of nodes that have answered, in a job that moves no rank. The
   * others remain accused: their accusers accuse only once, and wait.
   *
   * @return the ranks of processes that have been acquitted a moment ago: something within them has
   *     failed
   */
  List<Integer> acquit() {
    List<Integer> again = new ArrayList<>();
    Set<Integer> unanswered = new HashSet<>();
    accused.forEach(
        (r, incarnation) -> {
          if (!ranks.get(r).lives(incarnation)) {
            return;
          }
          if (!links.hasAnswered(placement.nodeOf(r))) {
            unanswered.add(r);
          } else if (isAccusedAgain(r, incarnation)) {
            again.add(r);
          }
        });
    accused.keySet().retainAll(unanswered);
    if (!accused.isEmpty()) {
      state = State.WAITING;
      out.add(new JobCommand.AwaitExamination(round, TO_ANSWER));
      return again;
    }
    end();
    if (!acquitted.isEmpty()) {
      forgets = true;
      out.add(new JobCommand.AwaitExamination(++round, TO_FORGET));
    }
    return again;
  }

  private JobCommand.@Nullable End acquitAll() {
    JobCommand.End end = null;
    for (Map.Entry<Integer, Integer> each : accused.entrySet()) {
      int r = each.getKey();
      Rank rank = ranks.get(r);
      if (!rank.lives(each.getValue())) {
        continue;
      }
      if (brokenRounds > 0 || !links.hasAnswered(placement.nodeOf(r))) {
        // The link works again, or its daemon is silent, which is judged elsewhere.
        ledger.acquitted(r);
      } else if (isAccusedAgain(r, rank.incarnation())) {
        JobCommand.End verdict =
            confirmed(r, "was accused again, by rank " + accusers.getOrDefault(r, -1));
        end = end == null ? verdict : end;
        kills.kill(rank);
      }
    }
    if (brokenRounds > 0) {
      out.degraded("all nodes with ranks hear each other again");
    }
    return end;
  }

  /**
   * Acquits a process, unless it was acquitted a moment ago: then something within it has failed.
   */
  private boolean isAccusedAgain(int r, int incarnation) {
    if (acquitted.getOrDefault(r, -1) == incarnation) {
      acquitted.remove(r);
      return true;
    }
    acquitted.put(r, incarnation);
    acquit(r, "its process lives, and all nodes hear each other");
    return false;
  }

  private void acquit(int rank, String reason) {
    ledger.acquitted(rank);
    int by = accusers.getOrDefault(rank, -1);
    out.sendToAll(new JobMessage.Alive(rank));
    out.report(new Notice.FalsePositive(ledger.recoveries(), rank, "rank " + by, reason));
  }

  private void move(Verdict.Move move, boolean beyondSlots) {
    accused.forEach(
        (r, incarnation) -> {
          if (!move.to().containsKey(r) && ranks.get(r).lives(incarnation)) {
            acquit(r, "its process lives, but " + text(move.broken()));
          }
        });
    move.to().forEach((r, to) -> move(r, to, beyondSlots, move.broken()));
  }

  private void move(int rank, int to, boolean beyondSlots, List<Link> broken) {
    moves.put(rank, new Move(to, beyondSlots, linkOf(placement.nodeOf(rank), broken)));
    kills.restart(ranks.get(rank));
  }

  /** Returns a broken link of a node; any link if the node only makes room. */
  private static Link linkOf(int node, List<Link> broken) {
    return broken.stream()
        .filter(link -> link.a() == node || link.b() == node)
        .findFirst()
        .orElse(broken.getFirst());
  }

  private JobCommand.@Nullable End await(List<Link> broken) {
    state = State.WAITING;
    brokenRounds++;
    String text = text(broken) + ", and no free node hears all others";
    if (brokenRounds == 1) {
      out.degraded(text + ": waiting for the network");
    }
    out.add(new JobCommand.AwaitExamination(round, TO_ANSWER));
    return policy == JobSpec.OnNoSpare.WAIT || brokenRounds < MOST_ROUNDS
        ? null
        : JobCommand.End.failed(EndCause.LINKS_BROKEN, text);
  }

  private String text(List<Link> broken) {
    return broken.stream().limit(4).map(this::text).collect(Collectors.joining(", "))
        + (broken.size() > 4 ? " and others" : "")
        + " cannot hear each other";
  }

  private String text(Link link) {
    return placement.name(link.a()) + " and " + placement.name(link.b());
  }

  /**
   * Moves a rank without a process, if its links ask for that.
   *
   * @param begun whether there may be checkpoints
   * @return whether it has moved
   */
  boolean moveAway(int rank, boolean begun) {
    Move move = moves.remove(rank);
    if (move == null || !placement.moveTo(rank, move.to, begun, move.beyondSlots)) {
      return false;
    }
    out.degraded(
        text(List.of(move.link))
            + ": rank "
            + rank
            + (move.beyondSlots ? " shares " : " moves to ")
            + placement.name(move.to)
            + (move.beyondSlots ? " with other ranks" : ""));
    out.reportPartner(rank);
    return true;
  }
}
