package org.fmi.sim.checkpoint;

import java.util.SplittableRandom;
import org.fmi.sim.failures.Failures;

/**
 * Abstract run of a job, reduced to checkpoints, failures and time: it computes, takes checkpoints
 * in memory and writes some of them to files, fails, rolls back, and computes again.
 *
 * <p>A failure during a checkpoint costs that checkpoint; one during a restart begins it anew, with
 * everything lost until then; one while a version is written to files discards that version, as the
 * flush coordinator does.
 */
public final class SimulatedRun {
  /** Multiple of the useful time after which a job counts as one that never ends. */
  private static final double HOPELESS = 1000;

  private static final double NEVER = Double.POSITIVE_INFINITY;

  /**
   * The result of a run.
   *
   * @param useful the share of the time that was useful, from 0 to 1
   * @param failures number of failures
   * @param fromFiles number of rollbacks to files, or to the beginning
   * @param checkpoints number of checkpoints committed in memory
   * @param versions number of versions written to files
   */
  public record Result(
      double useful, long failures, long fromFiles, long checkpoints, long versions) {}

  private final TwoLevels levels;
  private final Failures failures;
  private final double work;
  private final SplittableRandom random;

  private double now;
  private double nextFailure;

  /** Useful seconds done; the part in the newest checkpoint in memory; the part on files. */
  private double done;

  private double inMemory;
  private double onFiles;

  /** The version that is being written; the time at which it is whole; the time of its begin. */
  private double written;

  private double wholeAt = NEVER;
  private double begunAt = Double.NEGATIVE_INFINITY;

  private long struck;
  private long fromFiles;
  private long checkpoints;
  private long versions;

  private SimulatedRun(TwoLevels levels, Failures failures, double work, long seed) {
    this.levels = levels;
    this.failures = failures;
    this.work = work;
    this.random = new SplittableRandom(seed);
  }

  /**
   * Runs it.
   *
   * @param work useful seconds of the whole job
   */
  public static Result of(TwoLevels levels, Failures failures, double work, long seed) {
    return new SimulatedRun(levels, failures, work, seed).run();
  }

  private Result run() {
    drawFailure();
    while (done < work && now < HOPELESS * work) {
      double target = Math.min(work, inMemory + levels.memoryInterval());
      if (!compute(target) || (done < work && !checkpoint())) {
        rollBack();
      }
    }
    return new Result(done / now, struck, fromFiles, checkpoints, versions);
  }

  private void drawFailure() {
    double rate = failures.rate();
    nextFailure = rate == 0 ? NEVER : now - Math.log(1 - random.nextDouble()) / rate;
  }

  /** Computes up to a target; returns whether no failure happened before. */
  private boolean compute(double target) {
    while (done < target) {
      double speed = wholeAt == NEVER ? 1 : speedWhileWriting();
      double end = Math.min(now + (target - done) / speed, wholeAt);
      if (nextFailure < end) {
        now = nextFailure;
        return false;
      }
      // The sum must reach the target despite rounding.
      done = end == wholeAt ? Math.min(target, done + (end - now) * speed) : target;
      now = end;
      endWriting();
    }
    return true;
  }

  private double speedWhileWriting() {
    Level files = levels.files();
    return files == null || files.latency() == 0 ? 1 : 1 - files.cost() / files.latency();
  }

  /** Completes the version that is being written, if it is due. */
  private void endWriting() {
    if (wholeAt <= now) {
      onFiles = written;
      versions++;
      wholeAt = NEVER;
    }
  }

  /** Takes a checkpoint; returns whether no failure happened before its end. */
  private boolean checkpoint() {
    double end = now + levels.memory().cost();
    if (nextFailure < end) {
      now = nextFailure;
      return false;
    }
    now = end;
    endWriting();
    inMemory = done;
    checkpoints++;
    Level files = levels.files();
    if (files != null && wholeAt == NEVER && now - begunAt >= levels.filesInterval()) {
      written = done;
      begunAt = now;
      wholeAt = now + files.latency();
    }
    return true;
  }

  /** Restarts after a failure, and again after each failure during the restart. */
  private void rollBack() {
    endWriting();
    wholeAt = NEVER;
    boolean memory = true;
    do {
      struck++;
      memory &= failures.strike(random);
      drawFailure();
      double end = now + restart(memory);
      now = Math.min(end, nextFailure);
    } while (now == nextFailure && now < HOPELESS * work);
    failures.healed();
    if (!memory) {
      fromFiles++;
      inMemory = onFiles;
    }
    done = inMemory;
  }

  private double restart(boolean memory) {
    Level files = levels.files();
    return memory || files == null ? levels.memory().restart() : files.restart();
  }
}
