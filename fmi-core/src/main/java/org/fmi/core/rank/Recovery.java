package org.fmi.core.rank;

import java.io.IOException;
import java.util.function.Supplier;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.Rollback;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankMessage.Standing;
import org.fmi.core.checkpoint.Checkpoints;
import org.fmi.core.epoch.FaultInjector;
import org.fmi.core.epoch.Lifecycle;
import org.fmi.core.loop.Loop;
import org.fmi.core.loop.ProgramFailure;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.rollback.FlowRollback;
import org.fmi.core.rollback.LocalRollback;
import org.fmi.core.rollback.Restoration;
import org.fmi.core.rollback.Restorer;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Takes a rank into an epoch until lost checkpoints are back, and holds the recovery line that all
 * ranks, or the failed ones, roll back to.
 */
final class Recovery {
  private final Lifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final Restorer restorer;
  private final @Nullable LocalRollback local;
  private final FlowRollback flow;
  private final Repetition repetition;
  private final ProgramFailure failure;
  private final Comm system;
  private final OwnCore ownCore;
  private final FaultInjector faults;

  /** Whether the job continues without ranks that die, so that none is ever recovered. */
  private final boolean shrinks;

  /** Result of the last recovery; its final checkpoints serve loops that had ended. */
  private RecoveryLine line = RecoveryLine.START;

  /**
   * Whether ranks agree on a recovery line or roll back to it: after a failure they begin again.
   */
  private boolean underWay;

  /**
   * @param local null if all ranks roll back
   */
  Recovery(
      Lifecycle lifecycle,
      Checkpoints checkpoints,
      Restorer restorer,
      @Nullable LocalRollback local,
      FlowRollback flow,
      Repetition repetition,
      ProgramFailure failure,
      Comm system,
      OwnCore ownCore,
      FaultInjector faults,
      boolean shrinks) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.restorer = restorer;
    this.local = local;
    this.flow = flow;
    this.repetition = repetition;
    this.failure = failure;
    this.system = system;
    this.ownCore = ownCore;
    this.faults = faults;
    this.shrinks = shrinks;
  }

  /** Lets ranks continue while failed ranks roll back; null if all ranks roll back. */
  @Nullable LocalRollback local() {
    return local;
  }

  /** Result of the last recovery. */
  RecoveryLine line() {
    return line;
  }

  /** Whether a recovery is running. */
  boolean underWay() {
    return underWay;
  }

  /**
   * Attempts a recovery once.
   *
   * @param position the program's position
   * @param inPlace whether it continues there if only failed ranks roll back
   * @return the job's Start; null if this rank has to leave its call first: all ranks roll back, or
   *     the recovery line is older than this rank's message log reaches
   * @throws Rollback if the next failure came meanwhile
   * @throws UnrecoverableException if recovery is impossible
   */
  JobMessage.@Nullable Start run(Position position, boolean inPlace)
      throws IOException, UnrecoverableException {
    if (position == Position.OUTSIDE) {
      lifecycle.awaitRestart();
    }
    // Joining opens transports and a detector, and with them threads.
    ownCore.leave();
    JobMessage.Start start = lifecycle.join(position, standing(inPlace));
    ownCore.take();
    if (start == null) {
      return null;
    }
    faults.at(FaultPoint.CONNECT, -1);
    underWay = true;
    CheckpointId before = checkpoints.committed();
    try {
      if (shrinks) {
        return start; // a new program, and no rank waits for another that may be dead
      }
      Restoration.Restored recovered = restorer.recover(!start.rollback(), start.epoch());
      line = recovered.line();
      lifecycle.recovered(recovered.rebuilt());
      if (local != null && start.isLocal()) {
        local.begin(system, start, line.checkpoint(), inPlace);
      } else if (local != null) {
        local.allRollBack();
      }
    } catch (Rollback e) {
      if (inPlace && !isAt(before)) {
        return null;
      }
      throw e;
    } finally {
      underWay = false;
    }
    if (local != null && !start.rollback()) {
      local.reachLine(false);
    }
    return start;
  }

  /** Whether ranks roll back to this version. The iteration may differ from rank to rank. */
  private boolean isAt(@Nullable CheckpointId id) {
    CheckpointId now = checkpoints.committed();
    return id != null && now != null && id.version() == now.version();
  }

  private Standing standing(boolean inPlace) {
    if (local == null) {
      return Standing.NONE;
    }
    Standing standing = local.standing(inPlace);
    if (!inPlace) {
      local.reachLine(true); // as in a new process
    }
    return standing;
  }

  /** Runs a part of the recovery, in which ranks may wait for each other. */
  private void during(Runnable part) {
    during(
        () -> {
          part.run();
          return null;
        });
  }

  /** Runs a part of the recovery, and returns its result. */
  private <T extends @Nullable Object> T during(Supplier<T> part) {
    underWay = true;
    try {
      return part.get();
    } finally {
      underWay = false;
    }
  }

  /**
   * Resumes a loop from the recovery line, together with all other ranks; returns when all of them
   * have, in one epoch.
   *
   * @param again enters the newest epoch
   * @return false if the recovery line belongs to another loop
   */
  boolean resume(Loop loop, Runnable again) {
    while (true) {
      try {
        CheckpointId id = line.checkpoint();
        if (id == null || id.loop() != loop.number) {
          return false;
        }
        lifecycle.running(loop.number, rollBack(loop, id));
        return true;
      } catch (Rollback e) {
        again.run();
      }
    }
  }

  /** Rolls back, and returns the iteration that the loop continues with. */
  private long rollBack(Loop loop, CheckpointId id) {
    int epoch = lifecycle.epoch();
    FlowRollback.Part part = during(() -> flow.find(loop, id, epoch));
    if (part == null) {
      restore(loop, id, Restorer.Situation.ROLLED_BACK);
    } else {
      if (part.lost()) {
        loop.rollBackTo(checkpoints.iterationOf(id));
      }
      ofProgram(loop, () -> restorer.restore(id, loop, part, epoch));
    }
    faults.at(FaultPoint.RESTORED, id.iteration());
    restored(loop, id);
    if (part == null) {
      return id.iteration();
    }
    ofProgram(loop, () -> flow.compute(loop, part));
    return part.front();
  }

  /** Restores the loop's state from a checkpoint. */
  void restore(Loop loop, CheckpointId id, Restorer.Situation how) {
    long iteration = checkpoints.iterationOf(id);
    loop.rollBackTo(iteration);
    ofProgram(loop, () -> restorer.restore(id, loop, how, lifecycle.epoch()));
    loop.moveTo(iteration);
    loop.ended = id.last();
    fromCheckpoint(loop);
  }

  /** A loop continues from a checkpoint that was taken or restored. */
  void fromCheckpoint(Loop loop) {
    checkpoints.fromCheckpoint();
    if (local != null) {
      local.saved(loop);
    }
    repetition.fromCheckpoint(loop);
  }

  /**
   * Runs a part that may fail by the program's fault: its state may not fit, or its code may throw.
   */
  private void ofProgram(Loop loop, Runnable part) {
    failure.watch(loop, () -> during(part));
  }

  /** The recovery line's state is restored; returns when all ranks that roll back have done so. */
  private void restored(Loop loop, CheckpointId id) {
    if (local != null && lifecycle.isLocal()) {
      local.rolledBack(loop, id);
    } else {
      long[] furthest = {loop.furthest()};
      during(() -> system.allReduce(furthest, Op.MAX)); // and so a barrier
      loop.predecessorWasAt(furthest[0]);
    }
  }
}
