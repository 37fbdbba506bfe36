package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What a rank's neighbours read and write of it beside the rings: whether it sleeps, how its memory
 * is read, and which of them have a ring for it or have left.
 *
 * <pre>
 *   0     bell     {@link #AWAKE}, {@link #CLOSED}, or the port where the sleeper is woken; written by
 *                  the owner, taken back to AWAKE by whoever rings
 *   64    process  of the owner, its number; this and what follows are written once, by the owner
 *   72    proof at address in the owner's memory
 *   80    proof    a random number that is to be found there: nobody else's memory has it
 *   88    stopped  whether the owner may use its memory for something else than this epoch's messages
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
  private static final long PROCESS = 64;
  private static final long PROOF_AT = 72;
  private static final long PROOF = 80;
  private static final long STOPPED = 88;
  private static final long NEWS = 128;
  private static final long STATES = 256;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

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

  /** Says how the owner's memory is read; before anybody knows of this inbox. */
  void describe(long process, long proofAt, long proof) {
    LONG.set(memory, PROCESS, process);
    LONG.set(memory, PROOF_AT, proofAt);
    LONG.setRelease(memory, PROOF, proof);
  }

  /** Volatile: what the owner writes afterwards to its memory nobody takes for a message. */
  void stop() {
    INT.setVolatile(memory, STOPPED, 1);
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

  int process() {
    return (int) (long) LONG.getAcquire(memory, PROCESS);
  }

  long proofAt() {
    return (long) LONG.getAcquire(memory, PROOF_AT);
  }

  long proof() {
    return (long) LONG.getAcquire(memory, PROOF);
  }

  boolean stopped() {
    return (int) INT.getVolatile(memory, STOPPED) != 0;
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
