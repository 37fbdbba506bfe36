package org.fmi.net;

import java.nio.ByteBuffer;

/**
 * Handles the events of one connection. Called on the loop's thread, never within a call of the
 * connection's own methods. An exception thrown here goes to the thread's uncaught exception
 * handler and closes the connection.
 */
public interface ConnectionHandler {
  /** Both sides are authenticated; frames may be sent. */
  void onOpen(Connection connection);

  /** A frame has arrived. Its bytes (big endian) are valid only during the call. */
  void onFrame(Connection connection, ByteBuffer frame);

  /**
   * The peer was silent for the heartbeat's timeout. Called again after each further one.
   *
   * @return whether to close the connection
   */
  default boolean onSilent(Connection connection, String detail) {
    return true;
  }

  /** A peer is heard again whose silence did not close the connection. */
  default void onHeard(Connection connection) {}

  /**
   * The connection is over, or could not be made. Called exactly once, even if it was never open.
   */
  void onClosed(Connection connection, Closed closed);
}
