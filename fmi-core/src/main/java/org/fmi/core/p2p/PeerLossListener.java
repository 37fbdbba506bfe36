package org.fmi.core.p2p;

/** Gets told of broken data connections. */
public interface PeerLossListener {
  /**
   * The connection to {@code peer} broke or could not be made. Called by the application's thread,
   * inside of a communication call, which goes on waiting: whether the peer has failed is for the
   * failure detector to say.
   */
  void peerLost(int peer, String reason);
}
