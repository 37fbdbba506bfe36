package org.fmi.core.p2p;

import org.fmi.ErrorClass;
import org.fmi.FmiException;

/** Accounts for the room that the program has attached for buffered sends. In bytes. */
final class AttachedBuffer {
  private long bytes;
  private long used;

  /** Begins an epoch: nothing is under way. */
  void reset() {
    used = 0;
  }

  long bytes() {
    return bytes;
  }

  /** Replaces the buffer; the caller has waited until nothing of it is in use if it detaches it. */
  void attach(long newBytes) {
    bytes = newBytes;
  }

  boolean inUse() {
    return used > 0;
  }

  boolean hasRoom(long wanted) {
    return wanted <= bytes - used;
  }

  void take(long taken) {
    used += taken;
  }

  void give(long given) {
    used -= given;
    assert used >= 0 : "more of the attached buffer was given back than taken";
  }

  /** The error of a send that does not fit. */
  FmiException refusal(long wanted) {
    return new FmiException(
        ErrorClass.BUFFER,
        "a buffered send of "
            + wanted
            + " bytes does not fit: "
            + used
            + " of "
            + bytes
            + " attached bytes are in use; attach a larger buffer");
  }
}
