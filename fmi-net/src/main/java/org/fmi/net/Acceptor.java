package org.fmi.net;

/** Accepts or refuses authenticated connections. Called on the loop's thread. */
public interface Acceptor {
  /**
   * Accepts a connection by returning its handler.
   *
   * @param identity the peer's identity; empty on local sockets
   * @param remote the peer's address, for messages
   * @throws Refused to refuse it
   */
  ConnectionHandler accept(byte[] identity, String remote) throws Refused;

  /** The refusal of a connection, with a code for the peer. */
  final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final int code;

    /** A refusal. {@code code} is 1 to 255; the caller defines its meaning. */
    public Refused(int code, String message) {
      super(message, null, false, false);
      if (code < 1 || code > 255) {
        throw new IllegalArgumentException("code " + code);
      }
      this.code = code;
    }

    public int code() {
      return code;
    }
  }
}
