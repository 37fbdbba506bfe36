package org.fmi.net;

/**
 * The reason why a connection ended.
 *
 * @param code the acceptor's reason if {@code why} is {@link Why#REFUSED}, else 0
 * @param detail the details, for people
 */
public record Closed(Why why, int code, String detail) {

  /** The kinds of reasons. */
  public enum Why {
    /** Closed on this side, by {@link Connection#close} or with the loop. */
    HERE,
    /** The peer closed it, or its process ended. */
    PEER,
    /** The network or the peer's system broke it. */
    BROKEN,
    /** The peer was silent for longer than the heartbeat's timeout. */
    SILENT,
    /**
     * The peer, although of this job, violated the protocol by an oversized frame; or a handler
     * threw.
     */
    PROTOCOL,
    /** No answer from that address, or not in time. */
    UNREACHABLE,
    /** The system at that address says that no process listens there. */
    NO_LISTENER,
    /** The acceptor belongs to this job and refuses the connection. */
    REFUSED,
    /** The peer does not know the job's secret or does not speak the protocol. */
    NOT_AUTHENTIC
  }

  Closed(Why why, String detail) {
    this(why, 0, detail);
  }

  @Override
  public String toString() {
    return why + (code == 0 ? "" : " " + code) + ": " + detail;
  }
}
