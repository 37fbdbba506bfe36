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

/** Carries out what is decided about checkpoints on files. Used on the loop's thread. */
final class FlushDesk {
  /** As a version: none. */
  private static final long NONE = -1;

  private final @Nullable Level2Files files;
  private final FlushCoordinator decisions;
  private final LongSupplier nanoTime;
  private final Way way;

  /** What the job has begun from; empty if it began anew. */
  private String began = "";

  /** Null if nothing is written. */
  private final @Nullable FlushInterval interval;

  /** What follows when files are waited for no longer; null unless they are. */
  private @Nullable Runnable then;

  /** Those who wait for a version. */
  private final List<Waiter> waiters = new ArrayList<>();

  /** Hears what has come of a version. */
  interface Written {
    /**
     * @param committed the newest version that is on files
     * @param failure why no newer one is
     */
    void told(long committed, String failure);
  }

  private record Waiter(long version, Written written) {}

  /** What it needs from outside. */
  interface Way {
    /** Sends a message to the daemon of a node. */
    void send(int node, ToDaemon message);

    /** Has rank 0, which chooses what is written, choose the next checkpoint. */
    void writeNext();

    /** Tells what happened. */
    void tell(List<Notice> notices);

    /** Kills the processes of ranks: what they still do is of no use. */
    void killRanks();

    /** Runs a task some time from now. */
    void later(long millis, Runnable task);
  }

  /**
   * @param files null if the job has nothing to do with files
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
   * The job begins.
   *
   * @param say takes lines for the user
   */
  void begin(Consumer<List<String>> say) {
    Level2Files known = files;
    if (known == null) {
      return;
    }
    say.accept(known.said());
  }

  /** All go on from files. */
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

  /** A checkpoint is committed in memory. */
  void committed(JobCommand.Committed c) {
    if (interval != null) {
      long now = nanoTime.getAsLong();
      interval.committed(c, now);
      writeNextIfDue(now);
    }
  }

  /** All go back. */
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

  /** What checkpoints have come to, in lines; none if nothing was written. */
  List<String> summary() {
    Level2Files known = files;
    FlushInterval measured = interval;
    return known == null || measured == null
        ? List.of()
        : LevelsText.lines(
            measured, known.options().firstMtbfSeconds(), known.options().mtbfSeconds());
  }

  /**
   * Somebody waits for a version that is committed: it is written now, or a newer one.
   *
   * @param written is notified once
   */
  void write(long version, Written written) {
    Waiter waiter = new Waiter(version, written);
    waiters.add(waiter);
    lookLater(waiter);
    carryOut(decisions.finish(waiters.stream().mapToLong(Waiter::version).max().orElse(version)));
  }

  /** A rank that was lost at the wrong moment has kept nothing. */
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
    all.forEach(waiter -> waiter.written.told(committed, failure));
  }

  /**
   * The job ends: waits for what is worth waiting for.
   *
   * @param then what follows, at once if nothing is waited for
   */
  void finish(EndCause cause, Runnable then) {
    Level2Files known = files;
    CheckpointId line = decisions.awaited();
    boolean waits =
        switch (cause) {
          // Whoever wants it to end means now.
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
              NEVER_RAN,
              TOO_MANY_RECOVERIES,
              CHECKPOINTS_LOST,
              UNRECOVERABLE,
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
      way.tell(List.of(new Notice.Level2Awaited(line.version(), line.iteration(), millis)));
      stopAfter(millis);
    }
  }

  /** Stops waiting after a while, unless those who write wait for a core themselves. */
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

  /** Whether the end of the job waits. */
  boolean isAwaited() {
    return then != null;
  }

  /** What the end waits for, in a line. */
  String awaited() {
    CheckpointId line = decisions.awaited();
    return line == null
        ? "ends"
        : "waits for the checkpoint of iteration " + line.iteration() + " to be written to files";
  }

  /** The end waits no longer. */
  void stop(String reason) {
    if (isAwaited()) {
      carryOut(decisions.stop(reason));
      goOn();
    }
  }

  private void goOn() {
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
      way.tell(notices);
      writeNextIfDue(now);
    }
    if (finished != null) {
      answer(finished.committed(), finished.failure());
      goOn();
    }
  }
}
