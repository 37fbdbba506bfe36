package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A rank's shared state for its neighbours, apart from the rings: whether it sleeps, how its memory
 * is read, and which neighbours have a ring for it or have left.
 *
 * <pre>
 *   0     bell     {@link #AWAKE}, {@link #CLOSED}, or the port that wakes the sleeping owner; written by
 *                  the owner, and reset to AWAKE by the rank that rings
 *   64    process  the owner's process number; written once by the owner, as all fields up to stopped
 *   72    proof at an address in the owner's memory
 *   80    proof    a random number at that address, which identifies the owner's memory
 *   88    stopped  whether the owner may reuse its memory after this epoch's messages
 *   128   news     counts changes of the states
 *   256   states   one int per world rank, written by that rank alone: {@link #RING} | {@link #LEFT}
 * </pre>
 */
final class Inbox {
  static final int AWAKE = 0;
  static final int CLOSED = -1;

  /** The neighbour has made a ring. */
  static final int RING = 1;

  /** The neighbour has closed its transport. */
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

  /** The size for a job of {@code ranks} ranks. */
  static long bytes(int ranks) {
    return STATES + (long) Integer.BYTES * ranks;
  }

  // ---- for its owner

  /** See {@link org.fmi.spi.Transport#arm}. */
  boolean arm(int port) {
    if ((int) INT.getOpaque(memory, BELL) == port) {
      return true;
    }
    // Volatile, so that the caller's later reads come after this store.
    INT.setVolatile(memory, BELL, port);
    return false;
  }

  void close() {
    INT.setVolatile(memory, BELL, CLOSED);
  }

  /** Publishes how the owner's memory is read, before any rank knows of this inbox. */
  void describe(long process, long proofAt, long proof) {
    LONG.set(memory, PROCESS, process);
    LONG.set(memory, PROOF_AT, proofAt);
    LONG.setRelease(memory, PROOF, proof);
  }

  /**
   * Marks the owner's memory as reusable. Volatile, so that no rank takes its later content for a
   * message.
   */
  void stop() {
    INT.setVolatile(memory, STOPPED, 1);
  }

  int news() {
    return (int) INT.getAcquire(memory, NEWS);
  }

  int state(int rank) {
    return (int) INT.getAcquire(memory, STATES + (long) Integer.BYTES * rank);
  }

  // ---- for neighbours

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

  /** Whether the caller must ring at this port. */
  boolean take(int port) {
    return INT.compareAndSet(memory, BELL, port, AWAKE);
  }

  void publish(int fromRank, int state) {
    INT.setRelease(memory, STATES + (long) Integer.BYTES * fromRank, state);
    INT.getAndAdd(memory, NEWS, 1);
  }
}
