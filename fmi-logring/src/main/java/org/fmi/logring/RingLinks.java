package org.fmi.logring;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A rank's connections with its neighbours in the log-ring of one epoch, served by one thread. Only
 * a neighbour that has proven the job's secret and names this job, epoch and rank gets one, and
 * only one. A silent neighbour's is ended. Methods may be called by any thread.
 */
public interface RingLinks extends AutoCloseable {
  /** The most bytes a frame may have; the least is 1. */
  int MAX_FRAME = 64;

  /** What they run over, as in {@code --transport}. */
  String name();

  /** What neighbours need to reach this rank. */
  byte[] endpoint();

  /**
   * Makes the link with a neighbour, of which {@code endpoint} is what it has published; the
   * handler hears of the outcome.
   *
   * @throws IOException if there is no such host; after {@link #close} it may be thrown too
   */
  void connect(int peer, byte[] endpoint) throws IOException;

  /** Sends a frame; drops it if there is no link with that neighbour. */
  void send(int peer, byte[] frame);

  /** Runs a task on the thread, after what it was given before; drops it after {@link #close}. */
  void execute(Runnable task);

  /** Ends all links when what was sent before is on its way. Waits for that, but on the thread. */
  @Override
  void close();

  /** Gets what happens, on the thread. */
  interface Handler {
    void onOpen(int peer);

    /**
     * A frame has arrived, in big endian.
     *
     * @return whether it keeps to the protocol; if not the link is ended
     */
    boolean onFrame(int peer, ByteBuffer frame);

    /** A link is over, or one that this rank was to make could not be made. */
    void onClosed(int peer, String reason);

    /** This rank can reach nobody any more: its own device has failed. */
    void onBroken(String reason);
  }
}
