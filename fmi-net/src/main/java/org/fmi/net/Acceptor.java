package org.fmi.net;

/** Decides about connections whose peers have proven themselves. Called on the loop's thread. */
public interface Acceptor {
  /**
   * Takes a connection by returning its handler.
   *
   * @param identity what the peer said of itself; empty on local sockets
   * @param remote the peer's address, for messages
   * @throws Refused to turn it down
   */
  ConnectionHandler accept(byte[] identity, String remote) throws Refused;

  /** Turns a connection down; the peer gets the code. */
  final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final int code;

    /** {@code code} is 1 to 255; its meaning is the caller's. */
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
