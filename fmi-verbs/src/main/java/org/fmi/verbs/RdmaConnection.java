package org.fmi.verbs;

import java.io.IOException;

/** A reliable connection to one peer: what is sent arrives whole, once and in order, or it ends. */
public interface RdmaConnection extends AutoCloseable {
  /** The send is to be completed by itself; others are by a later one. */
  int SIGNALLED = 2;

  /** The bytes are copied into the work request: their memory need not be registered. */
  int INLINE = 8;

  /** Names it among the device's connections; known once it was accepted or established. */
  int number();

  /** Whether this side has asked the other one: its address and the way there are known. */
  boolean asked();

  /**
   * Agrees to a request.
   *
   * @return false if the other side has given up meanwhile
   * @throws IOException if this side's device refuses a queue pair; it may be tried again
   */
  boolean accept(byte[] greeting) throws IOException;

  /** Refuses a request. Does nothing if the other side has given up. */
  void reject(byte[] greeting);

  /**
   * Sends bytes, and a number, into the peer's next receive buffer.
   *
   * @param id not negative
   * @param bytes may be 0
   * @param flags of {@link #SIGNALLED} and {@link #INLINE}
   */
  void send(long id, long address, int bytes, int key, int immediate, int flags) throws IOException;

  /**
   * Reads the other side's memory into this side's; signalled. It is among the work whose number
   * {@link Verbs.Sizes#sends} bounds. Some may be under way at a time; more wait for their turn,
   * and with them all that is posted later.
   *
   * @param id not negative
   * @param bytes at most {@link Verbs#longestMessage}
   * @param key of memory registered with {@link Verbs#LOCAL_WRITE}
   * @param remoteKey of memory registered there with {@link Verbs#REMOTE_READ}
   */
  void read(long id, long address, int bytes, int key, long remoteAddress, int remoteKey)
      throws IOException;

  /**
   * Sends nothing to nowhere, signalled: when it completes the peer has all that was sent before.
   */
  void sendMarker(long id) throws IOException;

  /**
   * Ends it on this side only, which the other one cannot tell from silence: what is outstanding
   * completes, with errors; what arrives is ignored, and memory no longer read by the other side.
   * Does nothing if it was never connected.
   */
  void halt();

  /** Ends it: what is outstanding completes, with errors. Does nothing if it has ended. */
  void disconnect();

  /** Frees it; its buffers are its owner's again. */
  @Override
  void close();
}
