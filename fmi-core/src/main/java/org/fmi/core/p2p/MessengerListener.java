package org.fmi.core.p2p;

import java.io.UncheckedIOException;
import org.fmi.Rollback;

/**
 * Decisions that {@link Messenger} leaves to its owner. Called by the application's thread, within
 * a communication call.
 */
public interface MessengerListener {
  /**
   * Handles a connection to {@code peer} that broke or could not be made. The call continues to
   * wait: only the failure detector decides whether the peer has failed.
   */
  void peerLost(int peer, String reason);

  /**
   * Handles the system's refusal of something that a transport needs, such as a file descriptor.
   * The call that meets it cannot return, as its message may be lost.
   *
   * @return the exception that ends the call
   */
  default RuntimeException refused(UncheckedIOException e) {
    return e;
  }

  /**
   * Called after each poll without work while a call waits, so it must be cheap.
   *
   * @return whether something was done nevertheless, so that the call polls again at once
   */
  default boolean waits() {
    return false;
  }

  /**
   * Handles a call whose epoch is over. Throws, or enters a newer epoch and returns: during the
   * replay of a record, or by {@link Messenger#resume}. Otherwise, a call that has sent or received
   * in the old epoch cannot continue.
   */
  default void revoked(int epoch, String reason) {
    throw new Rollback("epoch " + epoch + " is over: " + reason);
  }
}
