package org.fmi.core.p2p;

/** A collective's receive got a message of another call, length or iteration. */
public final class UnfitMessageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int source;
  private final long call;
  private final long bytes;

  UnfitMessageException(int source, long call, long bytes) {
    super("world rank " + source + " has sent " + bytes + " bytes in " + CollectiveCall.text(call));
    this.source = source;
    this.call = call;
    this.bytes = bytes;
  }

  /** The world rank that has sent it. */
  public int source() {
    return source;
  }

  /** The sender's call: see {@link CollectiveCall}. */
  public long call() {
    return call;
  }

  /** The message's length in bytes. */
  public long bytes() {
    return bytes;
  }
}
