package org.fmi.spi;

import java.io.IOException;

/**
 * Detects failures and notifies all ranks, during one epoch. Works on its own threads, so that it
 * makes progress while the program computes.
 */
public interface FailureDetector extends AutoCloseable {
  /** Detects nothing and reports nothing. */
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

  /** The address of this rank's detector, published to all ranks in H1. */
  byte[] endpoint();

  /**
   * Connects the overlay (H2) and returns when all its connections are up. Fails soon after another
   * thread calls {@link #close} or a failure is reported.
   *
   * @throws IOException if it cannot be connected
   */
  void connect(Endpoints endpoints) throws IOException;

  /** The overlay's medium; empty before {@link #connect}. */
  String transport();

  /**
   * Notifies all ranks that {@code rank} has failed, for a component that detected it otherwise (a
   * broken data connection, the job). Any thread.
   */
  void announce(int rank, String reason);

  /**
   * The job has notified all ranks that {@code rank} is dead, which is final: the detector stops
   * waiting for it, and does not report it. Any thread.
   */
  default void dead(int rank) {}

  /** The job has found that a silent rank lives: the detector watches it again. Any thread. */
  default void alive(int rank) {}

  /**
   * Closes the detector without a notification: peers in a later epoch expect the close. Any
   * thread.
   */
  @Override
  void close();

  /** Receives the detector's findings. */
  interface Listener {
    /**
     * {@code rank} has failed. Called at most once per rank, by the detector's thread.
     *
     * @param hops the number of ranks that the notice passed before this one; 0 if detected here
     */
    void onFailure(int rank, int hops, String reason);

    /**
     * {@code rank} is silent, in a job that continues without its dead: it may live, so no other
     * rank is notified. Called by the detector's thread, again while the silence lasts.
     */
    default void onSilence(int rank, String reason) {}

    /** A silent rank is heard again. Called by the detector's thread. */
    default void onHeard(int rank) {}
  }
}
