package org.fmi.run.metrics;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.fmi.control.Counter;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a job, its ranks and their processes. Counts never fall: the counts of a process
 * are kept when another one replaces it. Any thread.
 */
final class JobNumbers {
  /** The stages of a recovery, each from the end of the previous one. */
  enum Recovery {
    /** From the start until all ranks have joined: processes start, survivors stop (H1). */
    JOIN,
    /** Until all are connected (H2). */
    CONNECT,
    /** Until all run: the checkpoint is restored, and lost ones are rebuilt (H3). */
    RESTORE
  }

  /** The ranks that roll back. */
  enum Scope {
    /** All ranks. */
    GLOBAL,
    /** Ranks that have failed, and ranks that cannot continue. */
    LOCAL,
    /** Lost ranks, with the help of the ranks that produced their data. */
    FLOW
  }

  /** The parts of a checkpoint. */
  enum Checkpoint {
    /** State and messages are copied. */
    COPY,
    /** The parity is computed. */
    ENCODE,
    /** All agree that it is complete. */
    COMMIT
  }

  /** A number of occurrences, and their total time. */
  private static final class Spent {
    long count;
    long nanos;

    void add(long more) {
      count++;
      nanos += more;
    }
  }

  private static final class Rank {
    int incarnation;
    @Nullable RankReport report;
    long reportedNanos;

    /** The last counts of previous processes. */
    final Map<Counter, Long> earlier = new EnumMap<>(Counter.class);

    /** Repeated iterations of completed loops. */
    long repeated;
  }

  private final LongSupplier clock;
  private final List<Rank> ranks = new ArrayList<>();
  private final BitSet nodesUp = new BitSet();
  private int nodes;
  private int size;

  /** Recoveries and checkpoints, by stage. */
  private final Map<Enum<?>, Spent> spent = new HashMap<>();

  private int epoch;
  private int recoveries;

  /** Completed recoveries. */
  private final Map<Scope, Integer> rollbacks = new EnumMap<>(Scope.class);

  private Scope scope = Scope.GLOBAL;
  private boolean recovering;
  private boolean committed;
  private long committedNanos;

  /** The time of the last stage of the current recovery. */
  private long stageNanos;

  /**
   * @param clock the time in nanoseconds; only differences count
   */
  JobNumbers(JobSpec spec, LongSupplier clock) {
    this.clock = clock;
    this.nodes = spec.nodes().size();
    this.size = spec.size();
    for (int r = 0; r < spec.size(); r++) {
      ranks.add(new Rank());
    }
  }

  // ---- events

  /** Notes that the daemon of a node is up. */
  synchronized void nodeUp(int node) {
    nodesUp.set(node);
  }

  /** Notes a new process of a rank. */
  synchronized void spawned(int rank, int incarnation) {
    Rank r = ranks.get(rank);
    RankReport last = r.report;
    if (last != null) {
      last.counters()
          .forEach(
              (counter, value) -> {
                if (!counter.isLevel()) {
                  r.earlier.merge(counter, value, Long::sum);
                }
              });
    }
    r.incarnation = incarnation;
    r.report = null;
  }

  /**
   * Takes reports of ranks of a node.
   *
   * @return the reports of current processes
   */
  synchronized List<FromDaemon.Report> reported(FromDaemon.Reports message) {
    long now = clock.getAsLong();
    List<FromDaemon.Report> current = new ArrayList<>();
    for (FromDaemon.Report shown : message.reports()) {
      if (shown.rank() < 0 || shown.rank() >= ranks.size()) {
        continue;
      }
      Rank r = ranks.get(shown.rank());
      if (r.incarnation == shown.incarnation()) {
        r.report = shown.report();
        r.reportedNanos = now;
        current.add(shown);
      }
    }
    return current;
  }

  /** Takes an event. */
  synchronized void on(Notice notice) {
    long now = clock.getAsLong();
    switch (notice) {
      case Notice.NodeAdded _ -> nodes++;
      case Notice.NodeFailed n -> nodesUp.clear(n.node());
      case Notice.Shrunk n -> {
        nodes = n.nodes();
        nodesUp.clear();
        size = n.ranks();
        for (int r = 0; r < ranks.size(); r++) {
          spawned(r, 0); // keeps the counts of its last process
        }
        epoch = 0;
      }
      case Notice.RecoveryBegun n -> {
        // A recovery that becomes a restart of all processes is reported again, in its epoch.
        recoveries += n.epoch() > epoch ? 1 : 0;
        epoch = n.epoch();
        recovering = true;
        scope = Scope.GLOBAL;
        stageNanos = now;
      }
      case Notice.RollbackDecided n -> scope = n.ranks().isEmpty() ? Scope.GLOBAL : Scope.LOCAL;
      case Notice.FlowBegun _ -> scope = Scope.FLOW;
      case Notice.LoopDone n -> ranks.get(n.rank()).repeated += n.repeated();
      case Notice.AllJoined _ -> reached(Recovery.JOIN, now);
      case Notice.AllConnected _ -> reached(Recovery.CONNECT, now);
      case Notice.AllRunning n -> {
        epoch = n.epoch();
        reached(Recovery.RESTORE, now);
        if (recovering) {
          rollbacks.merge(scope, 1, Integer::sum);
        }
        recovering = false;
      }
      case Notice.CheckpointCommitted n -> {
        committed = true;
        committedNanos = now;
        spent(Checkpoint.COPY).add(n.copyNanos());
        spent(Checkpoint.ENCODE).add(n.encodeNanos());
        spent(Checkpoint.COMMIT).add(n.commitNanos());
      }
      default -> {}
    }
  }

  /** Notes a stage. The start of a job has these stages as well, and is not a recovery. */
  private void reached(Recovery stage, long now) {
    if (recovering) {
      spent(stage).add(now - stageNanos);
      stageNanos = now;
    }
  }

  private Spent spent(Enum<?> stage) {
    return spent.computeIfAbsent(stage, _ -> new Spent());
  }

  // ---- queries

  /**
   * Returns a count of all processes of a rank, or the level of the current one; NaN if unknown.
   */
  synchronized double value(int rank, Counter counter) {
    Rank r = ranks.get(rank);
    RankReport report = r.report;
    if (counter.isLevel()) {
      Long value = report == null ? null : report.counters().get(counter);
      return value == null ? Double.NaN : value;
    }
    long value = r.earlier.getOrDefault(counter, 0L);
    return report == null ? value : value + report.counter(counter);
  }

  /** Returns the current iteration of a rank; NaN if there is none. */
  synchronized double iteration(int rank) {
    RankReport report = ranks.get(rank).report;
    return report == null || report.iteration() < 0 ? Double.NaN : report.iteration();
  }

  /** Returns the time since the last report of a rank, in seconds; NaN before the first. */
  synchronized double age(int rank) {
    Rank r = ranks.get(rank);
    return r.report == null ? Double.NaN : seconds(clock.getAsLong() - r.reportedNanos);
  }

  /** Returns the number of a rank's previous processes. */
  synchronized double respawns(int rank) {
    return ranks.get(rank).incarnation;
  }

  synchronized double ranks() {
    return size;
  }

  synchronized double nodes() {
    return nodes;
  }

  synchronized double nodesUp() {
    return nodesUp.cardinality();
  }

  synchronized double epoch() {
    return epoch;
  }

  synchronized double recoveries() {
    return recoveries;
  }

  synchronized double rollbacks(Scope of) {
    return rollbacks.getOrDefault(of, 0);
  }

  /** Returns the repeated iterations of a rank in completed loops. */
  synchronized double repeated(int rank) {
    return ranks.get(rank).repeated;
  }

  synchronized double recovering() {
    return recovering ? 1 : 0;
  }

  /** Returns the time since the last committed checkpoint, in seconds; NaN before the first. */
  synchronized double checkpointAge() {
    return committed ? seconds(clock.getAsLong() - committedNanos) : Double.NaN;
  }

  /** Returns the number of occurrences of a stage of recoveries or checkpoints. */
  synchronized long count(Enum<?> stage) {
    return spent(stage).count;
  }

  /** Returns their total time. */
  synchronized double nanos(Enum<?> stage) {
    return spent(stage).nanos;
  }

  private static double seconds(long nanos) {
    return (double) nanos / TimeUnit.SECONDS.toNanos(1);
  }
}
