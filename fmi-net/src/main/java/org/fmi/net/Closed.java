package org.fmi.net;

/**
 * Why a connection ended.
 *
 * @param code the acceptor's reason if {@code why} is {@link Why#REFUSED}, else 0
 * @param detail for people
 */
public record Closed(Why why, int code, String detail) {

  /** What ended a connection. */
  public enum Why {
    /** Closed on this side, by {@link Connection#close} or with the loop. */
    HERE,
    /** The peer closed it, or its process ended. */
    PEER,
    /** The network or the peer's system broke it. */
    BROKEN,
    /** The peer was silent for longer than the heartbeat's timeout. */
    SILENT,
    /** The peer, though of this job, broke a rule: a frame too long; or a handler threw. */
    PROTOCOL,
    /** Nobody answers at that address, or not in time. */
    UNREACHABLE,
    /** The acceptor is of this job and does not want this connection. */
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
