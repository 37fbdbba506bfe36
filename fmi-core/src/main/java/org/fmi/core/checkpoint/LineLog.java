package org.fmi.core.checkpoint;

import org.fmi.core.log.LogListener;
import org.fmi.core.loop.Loop;

/** What a checkpoint that nobody waits for asks and tells of a log that begins anew there. */
public interface LineLog extends LogListener {
  /** Whether a checkpoint is to be begun as the log is soon full; tells the job so then. */
  boolean isPressed(Loop loop, int epoch);

  /** Whether this rank still does what was done before it rolled back. */
  boolean isRepeating();

  /** The checkpoint is committed: the log begins there. */
  void committed();
}
