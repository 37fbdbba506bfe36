package org.fmi.core.p2p;

import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.core.p2p.PointToPoint.Mode;

/** Delivers a rank's messages to itself, which never leave its process. */
final class SelfSends {
  /**
   * The longest standard send that is complete at once; a longer non-blocking one is not copied.
   */
  private static final int COPY_BYTES = 64 << 10;

  private final int rank;
  private final Mailbox mailbox;

  SelfSends(int rank, Mailbox mailbox) {
    this.rank = rank;
    this.mailbox = mailbox;
  }

  /** Completes a send at once if its receive is posted, or it is short; else does nothing. */
  boolean sendNow(Object base, long offset, long bytes, int context, long tag, Mode mode) {
    if (mailbox.deliver(base, offset, bytes, context, rank, tag)) {
      return true;
    }
    if (mode != Mode.STANDARD || bytes > COPY_BYTES) {
      return false;
    }
    mailbox.keep(base, offset, bytes, context, rank, tag, 0);
    return true;
  }

  /**
   * Completes a blocking send that was not complete at once. Copies a message of any length, as its
   * receive can only be posted after this call.
   *
   * @throws FmiException if the send is synchronous
   */
  void sendLater(Object base, long offset, long bytes, int context, long tag, Mode mode) {
    if (mode == Mode.SYNCHRONOUS) {
      throw refusal(tag);
    }
    mailbox.keep(base, offset, bytes, context, rank, tag, mode == Mode.BUFFERED ? bytes : 0);
  }

  /** Whether a blocking synchronous send would end. */
  boolean hasReceive(int context, long tag) {
    return mailbox.isWanted(context, rank, tag);
  }

  /** The error of a blocking synchronous send without a receive. */
  FmiException refusal(long tag) {
    return new FmiException(
        ErrorClass.MISMATCH,
        "a synchronous send of rank "
            + rank
            + " to itself with tag "
            + MessageTag.tag(tag)
            + " would wait forever: post its receive first");
  }

  /** Queues a non-blocking send that was not complete at once until its receive is posted. */
  void sendLater(MessageRequest send) {
    mailbox.keep(send, rank);
  }
}
