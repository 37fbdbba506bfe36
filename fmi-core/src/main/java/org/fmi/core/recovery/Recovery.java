package org.fmi.core.recovery;

import java.io.IOException;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankMessage.Standing;
import org.fmi.core.progress.OwnCore;
import org.fmi.rules.RecoveryLine;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Takes a rank into an epoch, up to where what was lost of checkpoints is back; and knows what the
 * ranks go back to, or those of them that do.
 */
final class Recovery {
  private final Lifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final @Nullable LocalRollback local;
  private final Comm system;
  private final OwnCore ownCore;
  private final FaultInjector faults;

  /** What the last one found; its finals serve the loops that had ended. */
  private RecoveryLine line = RecoveryLine.START;

  /** Ranks agree on a recovery line, or go back to it: a failure makes them begin that again. */
  private boolean underWay;

  /**
   * @param local null if all ranks go back
   */
  Recovery(
      Lifecycle lifecycle,
      Checkpoints checkpoints,
      @Nullable LocalRollback local,
      Comm system,
      OwnCore ownCore,
      FaultInjector faults) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.local = local;
    this.system = system;
    this.ownCore = ownCore;
    this.faults = faults;
  }

  /** What the last one found. */
  RecoveryLine line() {
    return line;
  }

  /** Whether one is under way. */
  boolean underWay() {
    return underWay;
  }

  /**
   * Tries it once.
   *
   * @param position where the program stands
   * @param inPlace whether it goes on there if no more than failed ranks go back
   * @return what the job has said; null if all go back, and this rank has to leave its call first
   * @throws org.fmi.Rollback if the next failure came meanwhile
   * @throws UnrecoverableException if it is impossible
   */
  JobMessage.@Nullable Start run(Position position, boolean inPlace)
      throws IOException, UnrecoverableException {
    if (position == Position.OUTSIDE) {
      lifecycle.awaitRestart();
    }
    // It opens what the epoch needs, and with it threads.
    ownCore.leave();
    JobMessage.Start start = lifecycle.join(position, standing(inPlace));
    ownCore.take();
    if (start == null) {
      return null;
    }
    faults.at(FaultPoint.CONNECT, -1);
    underWay = true;
    try {
      Restoration.Restored recovered = checkpoints.recover(!start.rollback(), start.epoch());
      line = recovered.line();
      lifecycle.recovered(recovered.rebuilt());
      if (local != null && start.isLocal()) {
        local.begin(system, start, line.line(), inPlace);
      } else if (local != null) {
        local.decisions().forget();
      }
    } finally {
      underWay = false;
    }
    if (local != null && !start.rollback()) {
      local.line(false);
    }
    return start;
  }

  private Standing standing(boolean inPlace) {
    if (local == null) {
      return Standing.NONE;
    }
    Standing standing = local.standing(inPlace);
    if (!inPlace) {
      local.line(true); // as of a new process
    }
    return standing;
  }

  /** Does a part of it, in which ranks may wait for each other. */
  void during(Runnable part) {
    underWay = true;
    try {
      part.run();
    } finally {
      underWay = false;
    }
  }

  /** The line's state is there again; returns when that is so for all that go back. */
  void restored(Loop loop, CheckpointId id) {
    if (local != null && lifecycle.isLocal()) {
      local.wentBack(id);
    } else {
      long[] furthest = {loop.furthest()};
      during(() -> system.allReduce(furthest, Op.MAX)); // and so a barrier
      loop.othersWere(furthest[0]);
    }
  }
}
