package org.fmi.control;

import java.util.function.Supplier;
import org.fmi.spi.Diagnostics;

/** A rank's line to the job, and by way of it to whoever runs the job. */
public interface JobLink extends Diagnostics {
  /** Sends a message; never blocks for long. Any thread. */
  void send(RankMessage message);

  /** Sends a notice for the user. */
  default void report(Notice.ByRank notice) {
    send(new RankMessage.Notify(notice));
  }

  /** Returns when all that was sent will arrive even if this process ends now. */
  void flush();

  /** Offers images to be written to files; whoever cannot write any ignores it. */
  default void offer(Pinned pinned) {}

  /** Whether this rank waits, from now on, while others compute again. */
  default void idle(boolean waits) {}

  /** Whether what the rank prints is thrown away, from now on. */
  default void hideOutput(boolean hidden) {}

  /**
   * Names who gets the job's messages; called once, before the first {@link #send}. Messages arrive
   * on the link's thread.
   */
  void listen(Listener listener);

  /**
   * Names what shows this rank to whoever looks at the job; it may be asked from now on, now and
   * then, on the link's thread. A job that nobody can look at never asks.
   */
  default void show(Supplier<RankReport> report) {}

  /** Gets the job's messages. */
  interface Listener {
    void onMessage(JobMessage message);
  }
}
