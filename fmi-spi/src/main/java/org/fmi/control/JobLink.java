package org.fmi.control;

import java.util.function.Supplier;
import org.fmi.spi.Diagnostics;

/** A rank's connection to the job, and through it to the user. */
public interface JobLink extends Diagnostics {
  /** Sends a message; never blocks for long. Any thread. */
  void send(RankMessage message);

  /** Sends a notice for the user. */
  default void report(Notice.ByRank notice) {
    send(new RankMessage.Notify(notice));
  }

  /** Returns once every message sent will arrive even if this process ends now. */
  void flush();

  /** Offers images for writing to files. A job without files ignores the offer. */
  default void offer(Pinned pinned) {}

  /** Reports whether this rank, from now on, waits while other ranks compute again. */
  default void idle(boolean waits) {}

  /** Sets whether the rank's output is discarded from now on. */
  default void hideOutput(boolean hidden) {}

  /**
   * Sets the receiver of the job's messages. Called once, before the first {@link #send}. Messages
   * arrive on the link's thread.
   */
  void listen(Listener listener);

  /**
   * Sets the supplier of this rank's status reports. From now on the link's thread may call it from
   * time to time; it never does in a job that publishes no status.
   */
  default void show(Supplier<RankReport> report) {}

  /** Receives the job's messages. */
  interface Listener {
    void onMessage(JobMessage message);
  }
}
