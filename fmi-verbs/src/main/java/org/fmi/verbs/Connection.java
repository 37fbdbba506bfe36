package org.fmi.verbs;

import java.io.IOException;

/** A reliable connection to one peer: what is sent arrives whole, once and in order, or it ends. */
public interface Connection extends AutoCloseable {
  /** The send is to be completed by itself; others are by a later one. */
  int SIGNALLED = 2;

  /** The bytes are copied into the work request: their memory need not be registered. */
  int INLINE = 8;

  /** Names it among the device's connections; known once it was accepted or established. */
  int number();

  /** Agrees to a request. */
  void accept(byte[] greeting) throws IOException;

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
   * Sends nothing to nowhere, signalled: when it completes the peer has all that was sent before.
   */
  void sendMarker(long id) throws IOException;

  /** Ends it: what is outstanding completes, with errors. Does nothing if it has ended. */
  void disconnect();

  /** Frees it; its buffers are its owner's again. */
  @Override
  void close();
}
