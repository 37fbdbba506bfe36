package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.spi.NodeShare;
import org.jspecify.annotations.Nullable;

/**
 * The base of communicators and collectives: messages between world ranks in a context. Buffers are
 * primitive arrays or segments, addressed in bytes. Callers have checked all arguments. Sources in
 * a {@link Status} are world ranks.
 *
 * <p>Implemented by {@link Messenger}, and for the program by a recorder of its calls around it.
 * All calls throw {@link org.fmi.Rollback} once a failure is known, and {@link
 * IllegalStateException} after {@link org.fmi.Fmi#close}.
 */
public interface PointToPoint {
  /** The mode of a send (MPI 4 §3.4). Ready sends are standard ones. */
  enum Mode {
    STANDARD,
    SYNCHRONOUS,
    BUFFERED
  }

  /**
   * As the length of a receive: it creates an array of its message's length, of the type of the
   * given one.
   */
  long ALLOCATE = -1;

  /**
   * A message of any length.
   *
   * @param array as long as the message, which it has
   * @param status of the message
   */
  record NewArray(Object array, Status status) {}

  /** The world rank of the process. */
  int rank();

  /** The number of ranks of the job. */
  int size();

  void send(Object base, long offset, long bytes, int dest, int context, long tag, Mode mode);

  Request isend(Object base, long offset, long bytes, int dest, int context, long tag, Mode mode);

  /** Receives. {@code source} may be ANY_SOURCE, {@code tag} ANY_TAG. */
  Status recv(Object base, long offset, long bytes, int source, int context, long tag);

  Request irecv(Object base, long offset, long bytes, int source, int context, long tag);

  /**
   * Receives a message of any length.
   *
   * @param empty an array of the type wanted
   */
  NewArray recvNew(Object empty, int source, int context, long tag);

  /** Starts to receive a message of any length. */
  ArrayRequest irecvNew(Object empty, int source, int context, long tag);

  /** Sends and receives at once. */
  default Status sendRecv(
      Object out,
      long outOffset,
      long outBytes,
      int dest,
      long outTag,
      Object in,
      long inOffset,
      long inBytes,
      int source,
      long inTag,
      int context) {
    Request receive = irecv(in, inOffset, inBytes, source, context, inTag);
    send(out, outOffset, outBytes, dest, context, outTag, Mode.STANDARD);
    return receive.waitFor();
  }

  Status probe(int source, int context, long tag);

  @Nullable Status iprobe(int source, int context, long tag);

  /**
   * A probe that takes the message out of matching: only {@link #imrecv} receives it.
   *
   * @return a receive without a buffer, whose peer, tag and length are those of the message
   */
  MessageRequest mprobe(int source, int context, long tag);

  /** Does the same as {@link #mprobe}, without waiting; null if no message matches now. */
  @Nullable MessageRequest improbe(int source, int context, long tag);

  /**
   * Receives the message of a matched probe, once.
   *
   * @param bytes room for it, or {@link #ALLOCATE}
   */
  ArrayRequest imrecv(MessageRequest probed, Object base, long offset, long bytes, long tag);

  /** The current epoch. */
  int epoch();

  /**
   * Refuses a call that changes something before it sends or receives, by a thread that may not
   * call.
   *
   * @throws IllegalStateException if this thread runs listeners, or another one waits in a call
   */
  default void requireCaller() {}

  /**
   * Attends to deaths that the job has reported to this rank, in a job that continues without the
   * dead.
   */
  default void attend() {}

  /** The ranks that have died, and the communicators that have lost some. */
  Losses losses();

  /** The ranks that the current part of a {@code flowLoop} may communicate with; null for any. */
  default @Nullable FlowPart reach() {
    return null;
  }

  /** The turn that new collectives carry: see {@link Turns}. */
  default int turn() {
    return Turns.NONE;
  }

  /**
   * Handles a rank that is in this rank's collective, but in another iteration.
   *
   * @param theirs the signature of its call
   * @throws org.fmi.FmiException if the difference is refused
   */
  default void turnsDiffer(int source, long theirs) {}

  /**
   * Memory shared with other ranks of the node in this epoch. Null if there is none, and also while
   * this rank's receives are recorded, which is the same at all ranks: a replacement could not
   * replay shared memory.
   */
  @Nullable NodeShare share();

  /** Whether each rank of this node has a core, so that busy waiting is allowed. */
  boolean mayWaitBusily();

  /**
   * Returns when a number in shared memory is {@code least} or more.
   *
   * @param source the rank that sets it
   * @param context the context of the waiting call
   */
  void awaitShared(MemorySegment memory, long offset, long least, int source, int context);

  /** Wakes a rank that awaits a number in shared memory: see {@link NodeShare#nudge}. */
  void nudge(NodeShare share, int rank);

  /** Sets the room for buffered sends in bytes; 0 waits until all are sent. */
  void attachBuffer(long bytes);
}
