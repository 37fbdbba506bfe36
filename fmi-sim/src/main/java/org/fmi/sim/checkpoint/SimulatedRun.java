package org.fmi.sim.checkpoint;

import java.util.SplittableRandom;
import org.fmi.sim.failures.Failures;

/**
 * A job of which only its checkpoints, its failures and the time are left: it computes, takes
 * checkpoints in memory and writes some of them to files, is struck, goes back, and computes again.
 *
 * <p>A failure during a checkpoint costs that checkpoint; one during a restart begins it anew, with
 * all that was lost so far; one while a version is written to files gives that version up, as the
 * flush coordinator does.
 */
public final class SimulatedRun {
  /** A job that needs so many times its useful time does not come to an end. */
  private static final double HOPELESS = 1000;

  private static final double NEVER = Double.POSITIVE_INFINITY;

  /**
   * How it went.
   *
   * @param useful the share of the time that was useful, from 0 to 1
   * @param failures how many there were
   * @param fromFiles how often it went back to files, or to its beginning
   * @param checkpoints how many were committed in memory
   * @param versions how many were written to files
   */
  public record Result(
      double useful, long failures, long fromFiles, long checkpoints, long versions) {}

  private final TwoLevels levels;
  private final Failures failures;
  private final double work;
  private final SplittableRandom random;

  private double now;
  private double nextFailure;

  /** Useful seconds done; of them, those in the newest checkpoint in memory, and on files. */
  private double done;

  private double inMemory;
  private double onFiles;

  /** The version that is being written; when it is whole; when it was begun. */
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
        goBack();
      }
    }
    return new Result(done / now, struck, fromFiles, checkpoints, versions);
  }

  private void drawFailure() {
    double rate = failures.rate();
    nextFailure = rate == 0 ? NEVER : now - Math.log(1 - random.nextDouble()) / rate;
  }

  /** Computes until so much is done; returns whether no failure came before. */
  private boolean compute(double target) {
    while (done < target) {
      double speed = wholeAt == NEVER ? 1 : speedWhileWriting();
      double end = Math.min(now + (target - done) / speed, wholeAt);
      if (nextFailure < end) {
        now = nextFailure;
        return false;
      }
      // What is done must reach the target, whatever is rounded.
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

  /** The version that is being written is whole, if its time has come. */
  private void endWriting() {
    if (wholeAt <= now) {
      onFiles = written;
      versions++;
      wholeAt = NEVER;
    }
  }

  /** Takes a checkpoint; returns whether no failure came before its end. */
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

  /** A failure has come: restarts, as often as others come meanwhile. */
  private void goBack() {
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
