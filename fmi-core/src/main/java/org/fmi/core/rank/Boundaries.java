package org.fmi.core.rank;

import java.util.function.BooleanSupplier;
import org.fmi.Comm;
import org.fmi.Rollback;
import org.fmi.control.LoopPoint;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.checkpoint.FileOffer;
import org.fmi.core.checkpoint.Overlap;
import org.fmi.core.checkpoint.RequestedCheckpoint;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.epoch.Lifecycle;
import org.fmi.core.loop.Loop;
import org.fmi.core.rollback.LocalRollback;
import org.fmi.core.rollback.LoopAgreements;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FaultPoint;
import org.jspecify.annotations.Nullable;

/**
 * The work between two iterations of a loop and at its end: checkpoints that are due or requested,
 * and iterations that are repeated to compare them.
 */
final class Boundaries {
  private final Lifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final @Nullable Overlap overlap;
  private final RequestedCheckpoint requested;
  private final FileOffer files;
  private final Recovery recovery;
  private final Repetition repetition;
  private final FaultInjector faults;

  /** Whether an operation of the runtime is running, which begins again after a failure. */
  private boolean busy;

  private final @Nullable LocalRollback local;

  /** Enters the next epoch, and returns whether this rank continues there where it is. */
  private final BooleanSupplier continuesInPlace;

  /** Agrees among the living in a job that continues without ranks that die; null in others. */
  private final @Nullable Comm living;

  /** Whether the end of a loop is running, after which the loop has no place to stop. */
  private boolean ending;

  Boundaries(
      Lifecycle lifecycle,
      Checkpoints checkpoints,
      FileOffer files,
      Recovery recovery,
      Repetition repetition,
      FaultInjector faults,
      BooleanSupplier continuesInPlace,
      @Nullable Comm living) {
    this.local = recovery.local();
    this.continuesInPlace = continuesInPlace;
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.overlap = checkpoints.overlap();
    this.requested = files.requested();
    this.files = files;
    this.recovery = recovery;
    this.repetition = repetition;
    this.faults = faults;
    this.living = living;
  }

  /** Whether a call cannot continue in the middle, as it is one of the runtime. */
  boolean busy() {
    return busy;
  }

  /**
   * Whether a call does a part of the work on a checkpoint: the call may continue in a new epoch,
   * but that work may not.
   */
  boolean isAdvancing() {
    return overlap != null && overlap.isAdvancing();
  }

  /**
   * Runs an operation between iterations. Runs it again after a failure if this rank need not roll
   * back, as no other rank depends on it yet.
   */
  private void between(Runnable operation) {
    while (true) {
      busy = true;
      try {
        operation.run();
        return;
      } catch (Rollback e) {
        busy = false;
        if (!continuesInPlace.getAsBoolean()) {
          throw e;
        }
      } finally {
        busy = false;
      }
    }
  }

  /** Prepares an iteration, unless only its end is left to do. */
  void begin(Loop loop) {
    if (living != null) {
      checkpoints.announceDue(loop);
      faults.at(FaultPoint.ITERATION, loop.iteration);
    } else if (!loop.isEnding()) {
      between(() -> pass(loop));
    }
  }

  private void pass(Loop loop) {
    if (lifecycle.revoked()) {
      throw new Rollback("a failure is being recovered");
    }
    repetition.begins(loop, lifecycle.epoch());
    faults.at(FaultPoint.ITERATION, loop.iteration);
    if (local != null && local.isCatchingUp()) {
      faults.at(FaultPoint.REPLAY, loop.iteration);
    }
    int epoch = lifecycle.epoch();
    requested.passes(loop, epoch, committed(), checkpoints.nextVersion() - 1);
    if (requested.isAsked() && stop(loop, false)) {
      checkpoint(loop, false);
    } else if (overlap == null || loop.checkpointed < 0) {
      if (checkpoints.isDue(loop)) {
        checkpoint(loop, false);
      } else if (local != null && !requested.isAsked()) {
        local.askIfPressed(loop, epoch);
      }
    } else if (loop.iteration > loop.skipped && files.isDue(loop, checkpoints.committed())) {
      checkpoint(loop, false);
    } else {
      if (requested.asksForFiles(epoch)) {
        want(loop);
      }
      overlap.betweenIterations(
          loop, () -> checkpoints.isDue(loop) || requested.isToBegin(epoch, committed()), epoch);
    }
  }

  /** The newest committed version; -1 for none. */
  private long committed() {
    CheckpointId newest = checkpoints.committed();
    return newest == null ? -1 : newest.version();
  }

  /** Ends a loop whose iterations are all done. */
  void end(Loop loop) {
    if (living != null) {
      loop.ended = true; // no rank rolls back to its end
      return;
    }
    between(() -> finish(loop));
  }

  private void finish(Loop loop) {
    repetition.ends(null);
    if (requested.isAsked()) {
      boolean _ = stop(loop, true); // a checkpoint follows anyway
    }
    ending = true;
    try {
      checkpoint(loop, true);
    } finally {
      ending = false;
    }
  }

  /** Whether a requested checkpoint is to be taken here. */
  private boolean stop(Loop loop, boolean last) {
    // While iterations are repeated, a checkpoint would discard data that is still to be compared.
    return !repetition.repeats()
        && (last || mayStop())
        && requested.stop(new LoopPoint(loop.number, loop.iteration, last), lifecycle.epoch());
  }

  /**
   * Whether this rank may report where it can stop. A rank that repeats iterations after a failure
   * may not: others already have its messages from later places.
   */
  private boolean mayStop() {
    return local == null || ending || !local.isRepeating();
  }

  private void checkpoint(Loop loop, boolean last) {
    boolean taken = checkpoints.take(loop, last, lifecycle.epoch());
    loop.ended = last;
    if (taken) {
      loop.checkpointed = loop.iteration;
    }
    if (taken || last) {
      recovery.fromCheckpoint(loop);
    }
  }

  /**
   * Works while the program waits in a call.
   *
   * @param loop the current loop
   * @param nextLoop the number of the next loop
   * @return whether something was done
   */
  boolean waits(@Nullable Loop loop, long nextLoop) {
    if (living != null) {
      return false;
    }
    boolean _ = requested.isToBegin(lifecycle.epoch(), committed()); // takes note of it
    if (requested.isAsked() && mayStop()) {
      requested.waits(
          loop == null || loop.ended || ending
              ? new LoopPoint(nextLoop, 0, false)
              : new LoopPoint(loop.number, loop.iteration + 1, false),
          lifecycle.epoch());
    }
    try {
      return overlap != null && overlap.advance(lifecycle.epoch());
    } catch (Rollback e) {
      return true; // the call handles the failure
    }
  }

  /** Whether a loop continues after an iteration, as any rank wants. */
  boolean continues(long loop, long iteration, boolean wanted) {
    if (living != null) {
      return living.agree(wanted ? 0 : 1) == 0; // any rank that wants to continue clears the bit
    }
    if (local == null || overlap != null) {
      // With asynchronous checkpoints this is a call of the program, which continues after a
      // failure.
      return checkpoints.continues(loop, iteration, wanted, lifecycle.epoch());
    }
    LoopAgreements agreements = local.agreements();
    between(
        () -> {
          if (!agreements.isKnown(iteration)) {
            local.awaitStable();
            boolean continuesInPlace =
                checkpoints.continues(loop, iteration, wanted, lifecycle.epoch());
            agreements.agreed(iteration, continuesInPlace);
          }
        });
    return agreements.continues(iteration);
  }

  /** Requests a checkpoint after the current iteration. */
  void want(Loop loop) {
    if (living != null) {
      return; // no rank takes one
    }
    requested.want(
        new LoopPoint(loop.number, loop.iteration + 1, false),
        lifecycle.epoch(),
        checkpoints.nextVersion() - 1);
  }
}
