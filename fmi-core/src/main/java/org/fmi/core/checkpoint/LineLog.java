package org.fmi.core.checkpoint;

import org.fmi.core.log.LogListener;
import org.fmi.core.loop.Loop;

/** A message log, as an overlapped checkpoint needs to know it: the log begins anew there. */
public interface LineLog extends LogListener {
  /** Whether a checkpoint is due because the log is soon full; if so, reports it to the job. */
  boolean isPressed(Loop loop, int epoch);

  /** Whether this rank still repeats iterations from before its rollback. */
  boolean isRepeating();

  /** The checkpoint is committed: the log begins there. */
  void committed();
}
