package org.fmi.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.fmi.control.Counter;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.control.RankReport.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Notices from reports of ranks that a job has stopped making progress, and finds which ranks wait
 * for which. Pure: each call takes the time, in nanoseconds of one monotonic clock.
 *
 * <p>A job makes no progress if no rank reports anything new: no iteration, no message, no other
 * wait. After the time that the user has set, the watch reports that
 *
 * <ul>
 *   <li>all ranks wait;
 *   <li>all ranks but a few wait, for those few. Where most ranks compute, the others wait as they
 *       should;
 *   <li>a recovery waits for ranks that compute.
 * </ul>
 *
 * Each report is repeated after 1 minute, then after 10 minutes, and then every hour. The first
 * kind starts over after progress; the others do not, because some programs have long iterations.
 * Nothing is reported while ranks join, nor about ranks that have ended.
 */
public final class StallWatch {
  private static final long SECOND = 1_000_000_000;

  /** A rank reports each second; a rank silent for this long is stopped or very slow. */
  private static final long HEARD_NANOS = 5 * SECOND;

  private static final long[] PAUSES = {0, 60 * SECOND, 600 * SECOND, 3600 * SECOND};

  private static final int NO_EPOCH = -1;

  private enum State {
    JOINS,
    COMPUTES,
    WAITS,
    SILENT,
    ENDED
  }

  private static final class Rank {
    /** Null until its process has sent a report. */
    @Nullable RankReport report;

    long reportNanos;

    /** The time of its last new report. */
    long sinceNanos;

    State state(long nanos) {
      RankReport known = report;
      if (known == null || known.place().equals("start")) {
        return State.JOINS;
      } else if (known.place().equals("closed")) {
        return State.ENDED;
      } else if (nanos - reportNanos > HEARD_NANOS) {
        return State.SILENT;
      }
      return known.waiting() == null ? State.COMPUTES : State.WAITS;
    }
  }

  /** The times at which a report is repeated. */
  private static final class Rhythm {
    int reports;
    long reportedNanos;

    boolean isDue(long nanos) {
      return reports == 0 || nanos - reportedNanos >= PAUSES[Math.min(reports, PAUSES.length - 1)];
    }
  }

  private final long stallNanos;
  private final Rank[] ranks;

  /** The epoch to which a current recovery leads. */
  private int recoveringTo = NO_EPOCH;

  private long recoveringSince;

  private Rhythm ofAll = new Rhythm();
  private final Rhythm ofSome = new Rhythm();
  private final Rhythm ofSilent = new Rhythm();
  private Rhythm ofRecovery = new Rhythm();

  /** The start of the standstill reported by {@link #ofAll}. */
  private long allSince;

  /**
   * Creates a watch of a job without reports.
   *
   * @param stallNanos the time without progress that is reported
   */
  public StallWatch(int size, long stallNanos) {
    this.stallNanos = stallNanos;
    this.ranks = new Rank[size];
    Arrays.setAll(ranks, _ -> new Rank());
  }

  /** Notes a new process of a rank; reports of its predecessor no longer count. */
  public void spawned(int rank) {
    ranks[rank].report = null;
  }

  /** Notes an event of the job. */
  public void on(Notice notice, long nanos) {
    switch (notice) {
      case Notice.RecoveryBegun n -> {
        if (recoveringTo == NO_EPOCH) {
          recoveringSince = nanos;
          ofRecovery = new Rhythm();
        }
        recoveringTo = n.epoch();
      }
      case Notice.AllRunning _ -> {
        recoveringTo = NO_EPOCH;
        for (Rank r : ranks) {
          r.sinceNanos = nanos;
        }
      }
      default -> {}
    }
  }

  /** Takes a report of the process that serves a rank. */
  public void shown(int rank, RankReport report, long nanos) {
    Rank r = ranks[rank];
    RankReport before = r.report;
    if (before == null || hasMoved(before, report, nanos - r.reportNanos)) {
      r.sinceNanos = nanos;
    }
    r.report = report;
    r.reportNanos = nanos;
  }

  /**
   * Whether a rank has made progress between two reports.
   *
   * @param nanos the time between them
   */
  private static boolean hasMoved(RankReport before, RankReport now, long nanos) {
    if (before.epoch() != now.epoch()
        || !before.place().equals(now.place())
        || before.loop() != now.loop()
        || before.iteration() != now.iteration()
        || before.counter(Counter.MESSAGES_SENT) != now.counter(Counter.MESSAGES_SENT)
        || before.counter(Counter.MESSAGES_RECEIVED) != now.counter(Counter.MESSAGES_RECEIVED)
        || before.counter(Counter.CHECKPOINTS) != now.counter(Counter.CHECKPOINTS)) {
      return true;
    }
    Waiting was = before.waiting();
    Waiting is = now.waiting();
    if (was == null || is == null) {
      return (was == null) != (is == null);
    }
    return !is.operation().equals(was.operation())
        || is.peer() != was.peer()
        || is.tag() != was.tag()
        || !is.communicator().equals(was.communicator())
        // A wait that began since is a new one. Waits for a recovery have no start time.
        || (is.nanos() > 0 && is.nanos() < nanos);
  }

  /** Returns what to report now; usually null. */
  public @Nullable Stall look(long nanos) {
    Stall stall = now(nanos);
    if (stall == null || stall.nanos() < stallNanos) {
      return null;
    }
    Rhythm rhythm =
        switch (stall) {
          case Stall.AllWait s -> {
            if (allSince != nanos - s.nanos()) {
              allSince = nanos - s.nanos();
              ofAll = new Rhythm();
            }
            yield ofAll;
          }
          case Stall.SomeAwaited s ->
              s.ranks().stream().allMatch(Stall.Awaited::heard) ? ofSome : ofSilent;
          case Stall.RecoveryWaits _ -> ofRecovery;
        };
    if (!rhythm.isDue(nanos)) {
      return null;
    }
    rhythm.reports++;
    rhythm.reportedNanos = nanos;
    return stall;
  }

  /** Returns what holds the job up at this moment, however briefly; null if nothing does. */
  public @Nullable Stall now(long nanos) {
    if (recoveringTo != NO_EPOCH) {
      return recovery(nanos);
    }
    List<Integer> waiting = new ArrayList<>();
    List<Integer> awaited = new ArrayList<>();
    List<Integer> ended = new ArrayList<>();
    long shortest = Long.MAX_VALUE;
    for (int r = 0; r < ranks.length; r++) {
      switch (ranks[r].state(nanos)) {
        case JOINS -> {
          return null;
        }
        case COMPUTES, SILENT -> awaited.add(r);
        case WAITS -> waiting.add(r);
        case ENDED -> {
          ended.add(r);
          continue;
        }
      }
      shortest = Math.min(shortest, nanos - ranks[r].sinceNanos);
    }
    if (waiting.isEmpty()) {
      return null;
    } else if (awaited.isEmpty()) {
      return new Stall.AllWait(
          shortest, waiting.stream().map(r -> waiter(r, nanos)).toList(), ended, circle());
    }
    return awaited.size() > waiting.size() ? null : some(shortest, awaited, waiting, nanos);
  }

  private Stall.Waiter waiter(int rank, long nanos) {
    Rank r = ranks[rank];
    RankReport report = r.report;
    Waiting waiting = report == null ? null : report.waiting();
    if (report == null || waiting == null) {
      throw new IllegalArgumentException("rank " + rank + " does not wait");
    }
    return new Stall.Waiter(
        rank, waiting, report.iteration(), waiting.nanos() + nanos - r.reportNanos);
  }

  private @Nullable Stall some(
      long lasted, List<Integer> awaited, List<Integer> waiting, long nanos) {
    List<Stall.Awaited> each = new ArrayList<>();
    for (int a : awaited) {
      List<Integer> waiters =
          awaited.size() == 1 ? waiting : waiting.stream().filter(w -> endOf(w) == a).toList();
      if (!waiters.isEmpty()) {
        each.add(awaited(a, nanos, waiters));
      }
    }
    return each.isEmpty() ? null : new Stall.SomeAwaited(lasted, each);
  }

  private Stall.Awaited awaited(int rank, long nanos, List<Integer> waiters) {
    Rank r = ranks[rank];
    RankReport report = r.report;
    boolean heard = r.state(nanos) != State.SILENT;
    return new Stall.Awaited(
        rank,
        heard,
        report != null && report.place().equals("replay"),
        report == null ? -1 : report.iteration(),
        nanos - (heard ? r.sinceNanos : r.reportNanos),
        waiters);
  }

  private @Nullable Stall recovery(long nanos) {
    List<Stall.Awaited> each = new ArrayList<>();
    for (int i = 0; i < ranks.length; i++) {
      RankReport report = ranks[i].report;
      State state = ranks[i].state(nanos);
      if (report != null
          && (state == State.COMPUTES || state == State.SILENT)
          && (report.epoch() < recoveringTo || report.place().equals("replay"))) {
        each.add(awaited(i, nanos, List.of()));
      }
    }
    return each.isEmpty() ? null : new Stall.RecoveryWaits(nanos - recoveringSince, each);
  }

  // ---- wait-for graph

  /**
   * Returns the rank at the end of a rank's wait-for chain: one that waits for no particular rank,
   * or does not wait. Negative if the chain is a circle.
   */
  private int endOf(int rank) {
    int at = rank;
    for (int steps = 0; steps < ranks.length; steps++) {
      int next = peerOf(at);
      if (next < 0) {
        return at;
      }
      at = next;
    }
    return -1;
  }

  private int peerOf(int rank) {
    RankReport report = ranks[rank].report;
    Waiting waiting = report == null ? null : report.waiting();
    return waiting == null || waiting.peer() >= ranks.length ? -1 : waiting.peer();
  }

  /**
   * Returns ranks each of which waits for the next, starting with the lowest; empty if there is no
   * circle.
   */
  private List<Integer> circle() {
    int[] walk = new int[ranks.length]; // the number of the walk, from 1, that reached each rank
    for (int first = 0; first < ranks.length; first++) {
      int at = first;
      while (at >= 0 && walk[at] == 0) {
        walk[at] = first + 1;
        at = peerOf(at);
      }
      if (at >= 0 && walk[at] == first + 1) {
        return circleThrough(at);
      }
    }
    return List.of();
  }

  private List<Integer> circleThrough(int rank) {
    List<Integer> circle = new ArrayList<>();
    int at = rank;
    do {
      circle.add(at);
      at = peerOf(at);
    } while (at != rank);
    Collections.rotate(circle, -circle.indexOf(Collections.min(circle)));
    return circle;
  }
}
