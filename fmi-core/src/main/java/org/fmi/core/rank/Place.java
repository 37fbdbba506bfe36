package org.fmi.core.rank;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankReport;
import org.fmi.control.RankReport.Waiting;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.epoch.Lifecycle;
import org.fmi.core.loop.Loop;
import org.fmi.core.meters.ProgramMeters;
import org.fmi.core.p2p.LongWait;
import org.fmi.core.p2p.Messenger;
import org.jspecify.annotations.Nullable;

/**
 * The place of a rank's program, and the places that it may move to.
 *
 * <pre>
 *   START ----> OUTSIDE <---> LOOP
 *     |            |         ^  |
 *     +-> REPLAY --|---------+  |      STRAYED: from START, REPLAY and LOOP
 *                  v            v      CLOSED: from REPLAY only if the program has failed
 *                CLOSED <-------+
 * </pre>
 */
enum Place {
  /** In {@code Fmi.init}. */
  START,
  /** Outside of loops, communicating for real. */
  OUTSIDE,
  /** Outside of loops, in a replacement, communicating from the record. */
  REPLAY,
  /** In a loop. */
  LOOP,
  /** Diverged in a replay: only a restart of all ranks helps. */
  STRAYED,
  CLOSED;

  boolean mayBecome(Place next) {
    return switch (this) {
      case START -> next == OUTSIDE || next == REPLAY || next == STRAYED;
      case OUTSIDE -> next == LOOP || next == CLOSED;
      case REPLAY -> next == LOOP || next == STRAYED || next == CLOSED;
      case LOOP -> next == OUTSIDE || next == STRAYED || next == CLOSED;
      case STRAYED, CLOSED -> false;
    };
  }

  /** Report of this rank on its place and counters. */
  RankReport report(
      Lifecycle lifecycle,
      @Nullable Loop loop,
      Messenger messenger,
      Checkpoints checkpoints,
      ProgramMeters meters) {
    Map<Counter, Long> counters = new EnumMap<>(Counter.class);
    messenger.count(counters);
    checkpoints.count(counters);
    lifecycle.count(counters);
    return new RankReport(
        lifecycle.epoch(),
        name().toLowerCase(Locale.ROOT),
        loop == null ? -1 : loop.number,
        loop == null ? -1 : loop.iteration,
        loop == null ? -1 : loop.length(),
        waiting(lifecycle, messenger.longWait()),
        counters,
        meters.readings());
  }

  private @Nullable Waiting waiting(Lifecycle lifecycle, @Nullable LongWait wait) {
    if (this != START && lifecycle.joining()) {
      return new Waiting("recovery", Waiting.ANY, Waiting.ANY, "", 0);
    }
    if (wait == null || this == START) {
      return null;
    }
    String call = wait.call();
    if (this == LOOP && (call.startsWith("Fmi.loop") || call.equals("Fmi.nextIteration"))) {
      // Ranks also agree on the end of an iteration of loopWhile.
      call = lifecycle.recovering() ? "recovery" : call.endsWith("While") ? call : "checkpoint";
    }
    return new Waiting(
        call,
        wait.peer(),
        wait.tag(),
        wait.communicator(),
        lifecycle.nanosSince(wait.sinceNanos()),
        wait.untaken());
  }

  /**
   * The position reported to the job.
   *
   * @param committed whether a checkpoint of the current loop is committed
   */
  Position position(boolean committed) {
    return switch (this) {
      case START -> Position.FRESH;
      case REPLAY -> Position.REPLAYING;
      case LOOP -> committed ? Position.IN_LOOP : Position.OUTSIDE;
      case OUTSIDE, STRAYED, CLOSED -> Position.OUTSIDE;
    };
  }
}
