package org.fmi.core.p2p;

import org.fmi.Rollback;

/**
 * Decides what {@link Messenger} leaves open. Called by the application's thread, inside of a
 * communication call.
 */
public interface MessengerListener {
  /**
   * The connection to {@code peer} broke or could not be made. The call goes on waiting: whether
   * the peer has failed is for the failure detector to say.
   */
  void peerLost(int peer, String reason);

  /**
   * A call waits, and nothing has come: called after each poll, so do next to nothing.
   *
   * @return whether something was done nevertheless, so that the call looks again at once
   */
  default boolean waits() {
    return false;
  }

  /**
   * A call finds that its epoch is over. Throws, or enters a newer epoch and returns: while a
   * record is being replayed, or by {@link Messenger#goOn}. A call that has sent or received in the
   * old epoch cannot go on otherwise.
   */
  default void revoked(int epoch, String reason) {
    throw new Rollback("epoch " + epoch + " is over: " + reason);
  }
}
