package org.fmi.core.p2p;

/**
 * A frame that its sender cannot have meant: a length, or a number of a message, contradicts what
 * else is known. The connection that it came over is treated as broken.
 */
public final class DamagedFrame extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what the contradiction, as a clause that follows the peer
   */
  public DamagedFrame(String what) {
    super(what, null, false, false);
  }
}
