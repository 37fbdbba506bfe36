package org.fmi.verbs;

import java.io.IOException;

/**
 * A reliable connection to one peer: sent data arrive whole, once and in order, or the connection
 * ends.
 */
public interface RdmaConnection extends AutoCloseable {
  /** Requests a completion for this send; other sends are completed by a later one. */
  int SIGNALLED = 2;

  /** Copies the bytes into the work request, so that their memory need not be registered. */
  int INLINE = 8;

  /** Its number among the device's connections; known once it was accepted or established. */
  int number();

  /** Whether the request was sent to the other side, whose address and route are then known. */
  boolean asked();

  /**
   * Accepts a request.
   *
   * @return false if the other side has given up in the meantime
   * @throws IOException if this side's device refuses a queue pair; may be retried
   */
  boolean accept(byte[] greeting) throws IOException;

  /** Refuses a request. Does nothing if the other side has given up. */
  void reject(byte[] greeting);

  /**
   * Sends bytes and an immediate value into the peer's next receive buffer.
   *
   * @param id not negative
   * @param bytes may be 0
   * @param flags of {@link #SIGNALLED} and {@link #INLINE}
   */
  void send(long id, long address, int bytes, int key, int immediate, int flags) throws IOException;

  /**
   * Reads the other side's memory into this side's; signalled. It counts as one of {@link
   * Verbs.Sizes#sends}. A device executes a limited number of reads at a time; further reads wait
   * for their turn, and all later work with them.
   *
   * @param id not negative
   * @param bytes at most {@link Verbs#longestMessage}
   * @param key the key of memory registered with {@link Verbs#LOCAL_WRITE}
   * @param remoteKey the key of memory registered there with {@link Verbs#REMOTE_READ}
   */
  void read(long id, long address, int bytes, int key, long remoteAddress, int remoteKey)
      throws IOException;

  /** Posts an empty write, signalled: when it completes, the peer has everything sent before. */
  void sendMarker(long id) throws IOException;

  /**
   * Ends the connection on this side only, which looks like silence to the other side. Outstanding
   * work completes with errors; arriving data are ignored, and the other side can no longer read
   * memory. Does nothing if it was never connected.
   */
  void halt();

  /** Ends the connection: outstanding work completes with errors. Does nothing if it has ended. */
  void disconnect();

  /** Frees the connection and its buffers. */
  @Override
  void close();
}
