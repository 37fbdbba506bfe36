package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.testkit.FaultPlan.Kind;

/** Counts which kinds of faults have happened in which phase of a job: what was tried at all. */
final class Reached {
  /** A phase of the decision maker, as it reports it. */
  enum Moment {
    /** The first processes start. */
    STARTING,
    /** Ranks join an epoch. */
    JOINING,
    /** Ranks connect, and restore their state. */
    CONNECTING,
    /** All ranks run. */
    RUNNING,
    /** All have called {@code Fmi.close}. */
    RELEASED
  }

  /** The most kinds that are named because they were never met in a phase. */
  private static final int MOST_NAMED = 4;

  private final Map<Moment, Map<Kind, Long>> counts = new EnumMap<>(Moment.class);
  private Moment moment = Moment.STARTING;

  void onNotice(Notice notice) {
    if (notice instanceof Notice.AllJoined) {
      moment = Moment.CONNECTING;
    } else if (notice instanceof Notice.AllRunning) {
      moment = Moment.RUNNING;
    }
  }

  void onRecovering() {
    moment = Moment.JOINING;
  }

  void onSentToAll(JobMessage message) {
    if (message instanceof JobMessage.Release) {
      moment = Moment.RELEASED;
    }
  }

  void onFault(Kind kind) {
    add(moment, kind, 1);
  }

  private void add(Moment at, Kind kind, long times) {
    counts.computeIfAbsent(at, _ -> new EnumMap<>(Kind.class)).merge(kind, times, Long::sum);
  }

  /** Adds the counts of another job. */
  void add(Reached other) {
    other.counts.forEach((at, kinds) -> kinds.forEach((kind, times) -> add(at, kind, times)));
  }

  /** Returns one line per phase: how many kinds of faults it has met, and the few it has not. */
  String summary() {
    StringBuilder text = new StringBuilder();
    for (Moment at : Moment.values()) {
      Map<Kind, Long> met = counts.getOrDefault(at, Map.of());
      List<Kind> never = new ArrayList<>();
      for (Kind kind : Kind.values()) {
        if (!met.containsKey(kind)) {
          never.add(kind);
        }
      }
      text.append(
          "%n  faults while %-10s %2d of %d kinds%s"
              .formatted(
                  at,
                  met.size(),
                  Kind.values().length,
                  never.isEmpty() || never.size() > MOST_NAMED ? "" : ", never " + never));
    }
    return text.toString();
  }
}
