package org.fmi.run.status;

import org.fmi.control.Notice;
import org.jspecify.annotations.Nullable;

/**
 * Totals of a job, from its events. Used by one thread. Times are of one monotonic clock, in
 * nanoseconds.
 */
final class Totals {
  /** The state of the whole job. */
  enum State {
    STARTING,
    RUNNING,
    RECOVERING
  }

  State state = State.STARTING;
  int epoch;
  int recoveries;

  /** Ranks that were lost and not replaced. */
  int lost;

  /** Time from the first sign of a failure until all ran again, over all recoveries. */
  long recoveryNanos;

  private long recoveringSince;
  long checkpoints;

  /** Time of checkpoints, measured by the rank that reported them. */
  long checkpointNanos;

  /** Iterations between the last two checkpoints of a loop; -1 if unknown. */
  long checkpointInterval = -1;

  /** The last checkpoint; null if there is none yet. */
  Notice.@Nullable CheckpointCommitted last;

  long lastNanos;

  /** The time at which all ranks first ran; meaningless before. */
  long ranNanos;

  /** Whether all ranks have ever run. */
  boolean ran;

  void on(Notice notice, long nanos) {
    switch (notice) {
      case Notice.RankFailed _ -> fails(nanos);
      case Notice.Shrunk _ -> epoch = 0;
      case Notice.RecoveryBegun n -> {
        fails(nanos);
        if (n.epoch() > epoch) {
          recoveries++;
        }
        epoch = n.epoch();
      }
      case Notice.Died _ -> {
        lost++;
        if (state == State.RECOVERING) {
          runs(nanos); // nothing has to be repeated
        }
      }
      case Notice.AllRunning n -> {
        runs(nanos);
        if (!ran) {
          ran = true;
          ranNanos = nanos;
        }
        epoch = n.epoch();
      }
      case Notice.CheckpointCommitted n -> {
        Notice.CheckpointCommitted before = last;
        if (before != null && before.loop() == n.loop() && before.iteration() < n.iteration()) {
          checkpointInterval = n.iteration() - before.iteration();
        }
        last = n;
        lastNanos = nanos;
        checkpoints++;
        checkpointNanos += n.copyNanos() + n.encodeNanos() + n.commitNanos();
      }
      case Notice.CheckpointSkipped _, // counts as none
          Notice.Submitted _,
          Notice.NodeAdded _,
          Notice.NodeReady _,
          Notice.Started _,
          Notice.Spawned _,
          Notice.Thrown _,
          Notice.NodeSilent _,
          Notice.NodeHeard _,
          Notice.NodeFailed _,
          Notice.CauseKnown _,
          Notice.FalsePositive _,
          Notice.Notified _,
          Notice.Left _,
          Notice.Respawned _,
          Notice.Joined _,
          Notice.AllJoined _,
          Notice.AllConnected _,
          Notice.RollbackDecided _,
          Notice.Continued _,
          Notice.CaughtUp _,
          Notice.LogFills _,
          Notice.LogFull _,
          Notice.FlowBegun _,
          Notice.FlowImpossible _,
          Notice.LoopDone _,
          Notice.Level2Restored _,
          Notice.Level2Begun _,
          Notice.Level2Flushed _,
          Notice.Level2Committed _,
          Notice.Level2Failed _,
          Notice.Level2Awaited _,
          Notice.CheckpointRequested _,
          Notice.Degraded _,
          Notice.Warned _,
          Notice.KillMissed _,
          Notice.Finished _ -> {
        // not part of the totals
      }
    }
  }

  private void runs(long nanos) {
    if (state == State.RECOVERING) {
      recoveryNanos += nanos - recoveringSince;
    }
    state = State.RUNNING;
  }

  private void fails(long nanos) {
    if (state == State.RUNNING) {
      state = State.RECOVERING;
      recoveringSince = nanos;
    }
  }

  /** Returns the share of checkpoints in the time since all ran, from 0 to 1; -1 if unknown. */
  double checkpointShare(long nanos) {
    return !ran || checkpoints == 0 || nanos <= ranNanos
        ? -1
        : (double) checkpointNanos / (nanos - ranNanos);
  }
}
