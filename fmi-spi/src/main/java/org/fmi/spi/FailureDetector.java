package org.fmi.spi;

import java.io.IOException;

/**
 * Learns of failures and tells all others, during one epoch. Works on threads of its own, so that
 * it hears while the program computes.
 */
public interface FailureDetector extends AutoCloseable {
  /** Notices no failure and reports none. */
  FailureDetector NONE =
      new FailureDetector() {
        @Override
        public byte[] endpoint() {
          return new byte[0];
        }

        @Override
        public void connect(Endpoints endpoints) {}

        @Override
        public String transport() {
          return "nothing";
        }

        @Override
        public void announce(int rank, String reason) {}

        @Override
        public void close() {}
      };

  /** What others need to reach this rank's detector; published to all in H1. */
  byte[] endpoint();

  /**
   * Connects the overlay (H2); returns when all its connections are made. Fails soon after {@link
   * #close} is called by another thread or a failure was heard.
   *
   * @throws IOException if it cannot be connected
   */
  void connect(Endpoints endpoints) throws IOException;

  /** What the overlay's connections run over; empty before {@link #connect}. */
  String transport();

  /**
   * Tells all others that {@code rank} has failed, on behalf of whoever has found it (a broken data
   * connection, the job). Any thread.
   */
  void announce(int rank, String reason);

  /**
   * Ends it without telling anybody: peers take a close in a later epoch for granted. Any thread.
   */
  @Override
  void close();

  /** Gets what a detector has found. */
  interface Listener {
    /**
     * {@code rank} has failed. Called at most once per epoch, by the detector's thread.
     *
     * @param hops how many ranks the notice passed before this one; 0 if seen here first
     */
    void onFailure(int rank, int hops, String reason);
  }
}
