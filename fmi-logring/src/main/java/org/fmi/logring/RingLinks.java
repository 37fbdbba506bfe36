package org.fmi.logring;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A rank's connections to its neighbours in the log-ring of one epoch, served by one thread. Only a
 * neighbour that proves the job's secret and names this job, epoch and rank gets a link, and only
 * one. Any thread may call its methods.
 */
public interface RingLinks extends AutoCloseable {
  /** The most bytes in a frame; the least is 1. */
  int MAX_FRAME = 64;

  /** The name of the medium, as in {@code --transport}. */
  String name();

  /** The address of this rank for its neighbours. */
  byte[] endpoint();

  /**
   * Makes the link to a neighbour, which has published {@code endpoint}; the handler learns the
   * outcome.
   *
   * @throws IOException if there is no such host; possibly also after {@link #close}
   */
  void connect(int peer, byte[] endpoint) throws IOException;

  /** Sends a frame; drops it if there is no link to that neighbour. */
  void send(int peer, byte[] frame);

  /** Gives a neighbour that may be silent the full timeout again. */
  void watchAnew(int peer);

  /** Runs a task on the thread, after earlier tasks; drops it after {@link #close}. */
  void execute(Runnable task);

  /**
   * Closes all links after earlier frames have left. Waits for that unless called on the thread.
   */
  @Override
  void close();

  /** Handles events, on the thread. */
  interface Handler {
    void onOpen(int peer);

    /**
     * A frame has arrived, in big endian.
     *
     * @return whether it conforms to the protocol; if not, the link is closed
     */
    boolean onFrame(int peer, ByteBuffer frame);

    /** The link is over, or could not be made as the peer's system or process refuses it. */
    void onClosed(int peer, String reason);

    /** The link could not be made, as nothing answered in time. */
    default void onUnreachable(int peer, String reason) {
      onClosed(peer, reason);
    }

    /**
     * Nothing has arrived over the link for the timeout. Called again after each further one.
     *
     * @return whether the link is over, which is reported as {@link #onClosed} then
     */
    default boolean onSilent(int peer, String reason) {
      return true;
    }

    /** A silent neighbour is heard again. */
    default void onHeard(int peer) {}

    /** This rank cannot reach any neighbour any more, as its own device has failed. */
    void onBroken(String reason);
  }
}
