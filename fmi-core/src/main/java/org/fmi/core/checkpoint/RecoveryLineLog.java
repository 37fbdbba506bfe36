package org.fmi.core.checkpoint;

import org.fmi.core.log.LogListener;
import org.fmi.core.loop.Loop;

/** A message log that asynchronous checkpoints cut. */
public interface RecoveryLineLog extends LogListener {
  /** Whether a checkpoint is due because the log fills up; reports it to the job if so. */
  boolean isPressed(Loop loop, int epoch);

  /** Whether this rank still repeats iterations from before its rollback. */
  boolean isRepeating();

  /** Moves the log's beginning to the checkpoint, which is committed. */
  void committed();
}
