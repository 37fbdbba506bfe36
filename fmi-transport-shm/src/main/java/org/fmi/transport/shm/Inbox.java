package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What a rank's neighbours read and write of it beside the rings: whether it sleeps, and which of
 * them have a ring for it or have left.
 *
 * <pre>
 *   0     bell     {@link #AWAKE}, {@link #CLOSED}, or the port where the sleeper is woken; written by
 *                  the owner, taken back to AWAKE by whoever rings
 *   128   news     counts the changes below
 *   256   states   an int for each world rank, written by that rank alone: {@link #RING} | {@link #LEFT}
 * </pre>
 */
final class Inbox {
  static final int AWAKE = 0;
  static final int CLOSED = -1;

  /** There is a ring of this rank. */
  static final int RING = 1;

  /** This rank has closed its transport. */
  static final int LEFT = 2;

  private static final long BELL = 0;
  private static final long NEWS = 128;
  private static final long STATES = 256;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory;

  Inbox(MemorySegment memory) {
    this.memory = memory;
  }

  /** Size for a job of {@code ranks}. */
  static long bytes(int ranks) {
    return STATES + (long) Integer.BYTES * ranks;
  }

  // ---- by its owner

  /** See {@link org.fmi.spi.Transport#arm}. */
  boolean arm(int port) {
    if ((int) INT.getOpaque(memory, BELL) == port) {
      return true;
    }
    // Volatile: what the caller reads afterwards it reads after this is to be seen.
    INT.setVolatile(memory, BELL, port);
    return false;
  }

  void close() {
    INT.setVolatile(memory, BELL, CLOSED);
  }

  int news() {
    return (int) INT.getAcquire(memory, NEWS);
  }

  int state(int rank) {
    return (int) INT.getAcquire(memory, STATES + (long) Integer.BYTES * rank);
  }

  // ---- by neighbours

  int bell() {
    return (int) INT.getAcquire(memory, BELL);
  }

  /** Whether it is for the caller to ring at this port. */
  boolean take(int port) {
    return INT.compareAndSet(memory, BELL, port, AWAKE);
  }

  void tell(int fromRank, int state) {
    INT.setRelease(memory, STATES + (long) Integer.BYTES * fromRank, state);
    INT.getAndAdd(memory, NEWS, 1);
  }
}
