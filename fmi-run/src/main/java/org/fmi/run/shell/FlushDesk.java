package org.fmi.run.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.job.FlushCommand;
import org.fmi.job.FlushCoordinator;
import org.fmi.job.FlushInterval;
import org.fmi.job.JobCommand;
import org.fmi.job.control.Level2Order;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.ToDaemon;
import org.fmi.run.options.Level2Options;
import org.fmi.run.status.LevelsText;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/** Executes decisions about checkpoints in files. Used on the loop's thread. */
final class FlushDesk {
  /** Stands for no version. */
  private static final long NONE = -1;

  private final @Nullable Level2Files files;
  private final FlushCoordinator decisions;
  private final LongSupplier nanoTime;
  private final Way way;

  /** The generation from which the job has started; empty if from scratch. */
  private String began = "";

  /** Null if nothing is written. */
  private final @Nullable FlushInterval interval;

  /** The task that follows the wait for files; null unless the end of the job waits. */
  private @Nullable Runnable then;

  /** Requests that wait for a version. */
  private final List<Waiter> waiters = new ArrayList<>();

  /** Receives the result for a version. */
  interface Written {
    /**
     * @param committed the newest version in files
     * @param failure why there is no newer one
     */
    void done(long committed, String failure);
  }

  private record Waiter(long version, Written written) {}

  /** The environment of this desk. */
  interface Way {
    /** Sends a message to the daemon of a node. */
    void send(int node, ToDaemon message);

    /** Makes rank 0, which chooses the versions to write, choose the next checkpoint. */
    void writeNext();

    /** Reports events. */
    void report(List<Notice> notices);

    /** Kills the processes of ranks, whose work no longer matters. */
    void killRanks();

    /** Runs a task after a delay. */
    void later(long millis, Runnable task);
  }

  /**
   * @param files null if the job does not use files
   * @param nanoTime the time, of one monotonic clock
   */
  FlushDesk(@Nullable Level2Files files, int size, LongSupplier nanoTime, Way way) {
    this.files = files;
    this.decisions = new FlushCoordinator(size, files == null ? 1 : files.options().keep());
    this.interval =
        files == null || files.options().every() == 0
            ? null
            : new FlushInterval(files.options().mtbfSeconds());
    this.nanoTime = nanoTime;
    this.way = way;
  }

  /**
   * Notes the start of the job.
   *
   * @param say takes notices for the user
   */
  void begin(Consumer<List<String>> say) {
    Level2Files known = files;
    if (known == null) {
      return;
    }
    say.accept(known.notices());
  }

  /** Notes that all ranks continue from files. */
  void restored(JobCommand.Restored from) {
    Level2Files known = files;
    if (began.isEmpty() && known != null && known.origin(from.generation()) != null) {
      began = from.generation();
    }
  }

  void on(int node, Level2Report report) {
    carryOut(decisions.on(node, report));
  }

  void lost(int node, String name) {
    carryOut(decisions.lost(node, name));
    if (decisions.awaited() == null) {
      answer(NONE, name + " was lost before it was written");
    }
  }

  /** Notes a checkpoint committed in memory. */
  void committed(JobCommand.Committed c) {
    if (interval != null) {
      long now = nanoTime.getAsLong();
      interval.committed(c, now);
      writeNextIfDue(now);
    }
  }

  /** Notes a rollback of all ranks. */
  void recovering() {
    if (interval != null) {
      interval.recovering();
    }
  }

  private void writeNextIfDue(long now) {
    if (files != null
        && files.options().every() == Level2Options.TUNED
        && interval != null
        && interval.isDue(now)) {
      way.writeNext();
    }
  }

  /** Returns a summary of checkpoints; none if nothing was written. */
  List<String> summary() {
    Level2Files known = files;
    FlushInterval measured = interval;
    return known == null || measured == null
        ? List.of()
        : LevelsText.lines(
            measured, known.options().firstMtbfSeconds(), known.options().mtbfSeconds());
  }

  /**
   * Has a committed version, or a newer one, written now.
   *
   * @param written is notified once
   */
  void write(long version, Written written) {
    Waiter waiter = new Waiter(version, written);
    waiters.add(waiter);
    lookLater(waiter);
    carryOut(decisions.finish(waiters.stream().mapToLong(Waiter::version).max().orElse(version)));
  }

  /** Checks later whether a rank that was lost at the wrong moment has pinned nothing. */
  private void lookLater(Waiter waiter) {
    long millis = files == null ? 0 : files.options().stallMillis();
    way.later(
        millis,
        () -> {
          if (!waiters.contains(waiter)) {
            return;
          }
          if (decisions.awaited() == null) {
            answer(NONE, "not all ranks still have it in memory");
          } else {
            lookLater(waiter);
          }
        });
  }

  private void answer(long committed, String failure) {
    if (waiters.isEmpty()) {
      return;
    }
    if (!isAwaited()) {
      decisions.forget();
    }
    List<Waiter> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(waiter -> waiter.written.done(committed, failure));
  }

  /**
   * Handles the end of the job: waits for versions that are worth it.
   *
   * @param then the next task, run at once if there is nothing to wait for
   */
  void finish(EndCause cause, Runnable then) {
    Level2Files known = files;
    CheckpointId line = decisions.awaited();
    boolean waits =
        switch (cause) {
          // A user who ends the job wants that now.
          case INTERRUPTED, ABORTED -> false;
          case ALL_ENDED,
              PROGRAM_FAILED,
              OUT_OF_MEMORY,
              NOT_ALL_JOINED,
              CANNOT_START,
              CANNOT_START_ANYWHERE,
              UNFIT_NODE,
              NO_SPARE,
              NO_NODE,
              LINKS_BROKEN,
              NEVER_RAN,
              TOO_MANY_RECOVERIES,
              NO_PROGRESS,
              CHECKPOINTS_LOST,
              UNRECOVERABLE,
              LOSS_ENDS,
              ALL_LOST,
              LOST_WHILE_ENDING ->
              true;
        };
    if (known == null || line == null || !waits) {
      then.run();
      return;
    }
    this.then = then;
    carryOut(decisions.finish(cause == EndCause.ALL_ENDED));
    if (isAwaited()) {
      way.killRanks();
      long millis = known.options().stallMillis();
      way.report(List.of(new Notice.Level2Awaited(line.version(), line.iteration(), millis)));
      stopAfter(millis);
    }
  }

  /** Stops waiting after a while, unless the writers lack a core. */
  private void stopAfter(long millis) {
    way.later(
        millis,
        () -> {
          if (isAwaited() && decisions.wasStarved()) {
            stopAfter(millis);
          } else {
            stop("it took too long (--l2-stall)");
          }
        });
  }

  /** Whether the end of the job waits for files. */
  boolean isAwaited() {
    return then != null;
  }

  /** Returns a description of the awaited version. */
  String awaited() {
    CheckpointId line = decisions.awaited();
    return line == null
        ? "ends"
        : "waits for the checkpoint of iteration " + line.iteration() + " to be written to files";
  }

  /** Stops the wait of the end. */
  void stop(String reason) {
    if (isAwaited()) {
      carryOut(decisions.stop(reason));
      proceed();
    }
  }

  private void proceed() {
    Runnable next = then;
    then = null;
    if (next != null) {
      next.run();
    }
  }

  private void carryOut(List<FlushCommand> commands) {
    Level2Files known = files;
    if (known == null) {
      return;
    }
    List<Notice> notices = new ArrayList<>();
    FlushCommand.Finished finished = null;
    long now = nanoTime.getAsLong();
    for (FlushCommand command : commands) {
      switch (command) {
        case FlushCommand.Flush c ->
            way.send(c.node(), new ToDaemon.Level2(new Level2Order.Flush(c.version(), c.oldest())));
        case FlushCommand.Publish c ->
            way.send(
                c.node(),
                new ToDaemon.Level2(
                    new Level2Order.Publish(
                        c.version(),
                        c.oldest(),
                        known.manifest(c.needed(), c.files(), began).text(),
                        known.options().keep())));
        case FlushCommand.Begun _ -> {
          if (interval != null) {
            interval.begun(now);
          }
        }
        case FlushCommand.Ended c -> {
          if (interval != null) {
            interval.ended(c.counts(), now);
          }
        }
        case FlushCommand.Finished c -> finished = c;
        case FlushCommand.Report c -> notices.add(c.notice());
      }
    }
    if (!notices.isEmpty()) {
      way.report(notices);
      writeNextIfDue(now);
    }
    if (finished != null) {
      answer(finished.committed(), finished.failure());
      proceed();
    }
  }
}
