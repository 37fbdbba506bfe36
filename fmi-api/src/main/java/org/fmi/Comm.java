package org.fmi;

import org.jspecify.annotations.Nullable;

/**
 * A group of processes and a context that keeps their messages apart from all others (MPI_Comm of
 * an intracommunicator).
 *
 * <p>Buffers, offsets and counts: see the {@link org.fmi package}. The forms without offset and
 * count take the whole buffer: all of an array or segment, a byte buffer from its position to its
 * limit. The forms with an offset do not use a byte buffer's position, and none moves it. A
 * non-blocking call needs memory that all threads that make calls may use until it is complete: any
 * of their calls may move its data. Every call
 *
 * <ul>
 *   <li>throws {@link FmiException} for a wrong argument, before anything is sent;
 *   <li>ends once a failure is known, instead of blocking for ever: in a loop it throws {@link
 *       Rollback}; outside of loops it does not return, as the process is killed, without {@code
 *       finally} blocks and shutdown hooks, and started again.
 * </ul>
 *
 * Communicators keep working after a recovery; a program does nothing for that.
 */
public interface Comm {
  /** Receive from any rank (MPI_ANY_SOURCE). */
  int ANY_SOURCE = -1;

  /** Receive any tag (MPI_ANY_TAG). */
  int ANY_TAG = -1;

  /** A peer that does not exist: sends to it and receives from it do nothing (MPI_PROC_NULL). */
  int PROC_NULL = -2;

  /** No rank, no colour (MPI_UNDEFINED). */
  int UNDEFINED = -3;

  /**
   * In place of the send buffer of a collective: the data stands in the receive buffer
   * (MPI_IN_PLACE). Where there is a root, only the root may pass it; to {@link #scatter} and
   * {@link #scatterv} in place of its receive buffer: its part stays in the send buffer.
   *
   * <p>The offset and displacements that go with it are not used. A count still is the length of a
   * block, in elements of the other buffer, but in the v forms, which take lengths from the other
   * buffer's counts.
   */
  Object IN_PLACE = InPlace.IN_PLACE;

  /** The type of {@link #IN_PLACE}. */
  enum InPlace {
    IN_PLACE
  }

  /** This process' rank here. */
  int rank();

  /** The number of ranks. */
  int size();

  // ---- point to point (MPI 4 chapter 3)

  /**
   * Standard send (MPI_Send): returns when the buffer may be used again; may wait for the receiver.
   */
  void send(Object buffer, long offset, long count, int dest, int tag);

  /** {@link #send(Object, long, long, int, int)} of a whole buffer. */
  void send(Object buffer, int dest, int tag);

  /**
   * Synchronous send (MPI_Ssend): returns when the receiver has begun to receive, or when a
   * checkpoint has taken the message over.
   */
  void ssend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Buffered send (MPI_Bsend): copies the message and returns at once.
   *
   * @throws FmiException {@link ErrorClass#BUFFER} if the buffer given by {@link #attachBuffer} has
   *     no room
   */
  void bsend(Object buffer, long offset, long count, int dest, int tag);

  /** Ready send (MPI_Rsend): the program vouches that the receive is posted. */
  void rsend(Object buffer, long offset, long count, int dest, int tag);

  /** Non-blocking {@link #send(Object, long, long, int, int)} (MPI_Isend). */
  Request isend(Object buffer, long offset, long count, int dest, int tag);

  /** {@link #isend(Object, long, long, int, int)} of a whole buffer. */
  Request isend(Object buffer, int dest, int tag);

  /** Non-blocking {@link #ssend} (MPI_Issend). */
  Request issend(Object buffer, long offset, long count, int dest, int tag);

  /** Non-blocking {@link #bsend} (MPI_Ibsend). */
  Request ibsend(Object buffer, long offset, long count, int dest, int tag);

  /** Non-blocking {@link #rsend} (MPI_Irsend). */
  Request irsend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Lets buffered sends of this process hold up to {@code bytes} of messages (MPI_Buffer_attach); 0
   * detaches, and waits until all buffered messages are sent.
   */
  void attachBuffer(long bytes);

  /**
   * Receives a message (MPI_Recv).
   *
   * @throws FmiException {@link ErrorClass#TRUNCATE} if it is longer than {@code count} elements;
   *     the message is lost; {@link ErrorClass#TYPE} if it is no whole number of the buffer's
   *     elements
   */
  Status recv(Object buffer, long offset, long count, int source, int tag);

  /** {@link #recv(Object, long, long, int, int)} into a whole buffer. */
  Status recv(Object buffer, int source, int tag);

  /** Non-blocking {@link #recv(Object, long, long, int, int)} (MPI_Irecv). */
  Request irecv(Object buffer, long offset, long count, int source, int tag);

  /** {@link #irecv(Object, long, long, int, int)} into a whole buffer. */
  Request irecv(Object buffer, int source, int tag);

  /** Sends and receives at once, without deadlock (MPI_Sendrecv). */
  Status sendRecv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      int dest,
      int sendTag,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int source,
      int recvTag);

  /** Waits for a message without receiving it (MPI_Probe). */
  Status probe(int source, int tag);

  /** The status of a message that can be received now, or null (MPI_Iprobe). */
  @Nullable Status iprobe(int source, int tag);

  // ---- collective (MPI 4 chapter 6); all ranks call them in the same order

  /** Returns when all ranks have called it (MPI_Barrier). */
  void barrier();

  /**
   * {@code count} elements of {@code root} go to all others (MPI_Bcast). All pass the same count.
   */
  void bcast(Object buffer, long offset, long count, int root);

  /** {@link #bcast(Object, long, long, int)} of a whole buffer. */
  void bcast(Object buffer, int root);

  /**
   * Each rank's {@code sendCount} elements, one after the other in rank order, at {@code root}
   * (MPI_Gather). All pass the same count. The receive buffer is used at the root only.
   */
  void gather(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      int root);

  /**
   * {@link #gather} with counts and displacements (elements from {@code recvOffset}) a rank
   * (MPI_Gatherv). They and the receive buffer are used at the root only.
   */
  void gatherv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      long @Nullable [] recvCounts,
      long @Nullable [] displs,
      int root);

  /**
   * Rank i gets the i-th {@code recvCount} elements of the root's send buffer (MPI_Scatter). All
   * pass the same count. The send buffer is used at the root only.
   */
  void scatter(
      @Nullable Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root);

  /**
   * {@link #scatter} with counts and displacements (elements from {@code sendOffset}) a rank
   * (MPI_Scatterv). They and the send buffer are used at the root only.
   */
  void scatterv(
      @Nullable Object sendBuffer,
      long sendOffset,
      long @Nullable [] sendCounts,
      long @Nullable [] displs,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root);

  /**
   * Each rank's {@code sendCount} elements, one after the other in rank order, at all ranks
   * (MPI_Allgather). All pass the same count.
   */
  void allGather(
      Object sendBuffer, long sendOffset, long sendCount, Object recvBuffer, long recvOffset);

  /**
   * {@link #allGather} with counts and displacements (elements from {@code recvOffset}) a rank,
   * which all ranks pass (MPI_Allgatherv).
   */
  void allGatherv(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      long[] displs);

  /**
   * Sends {@code count} elements to each rank, one block after the other in rank order, and
   * receives as many from each (MPI_Alltoall). All pass the same count.
   */
  void allToAll(Object sendBuffer, long sendOffset, long count, Object recvBuffer, long recvOffset);

  /**
   * {@link #allToAll} with counts and displacements (elements from the offset) a rank, for what is
   * sent and what is received (MPI_Alltoallv).
   */
  void allToAllv(
      Object sendBuffer,
      long sendOffset,
      long[] sendCounts,
      long[] sendDispls,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      long[] recvDispls);

  /**
   * Reduces {@code count} elements of each rank, one by one, into the root's receive buffer, which
   * is used there only (MPI_Reduce). All pass the same count, type and operation. For arrays; byte
   * buffers and segments need the form with a {@link Datatype}, here and below.
   */
  void reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Op op,
      int root);

  /** {@link #reduce} with offsets and count in elements of {@code type}. */
  void reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op,
      int root);

  /** {@link #reduce} with the result at all ranks (MPI_Allreduce). */
  void allReduce(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op);

  /** {@link #allReduce} with offsets and count in elements of {@code type}. */
  void allReduce(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op);

  /** {@link #allReduce} of a whole array in place. */
  void allReduce(Object array, Op op);

  /**
   * Reduces as many elements of each rank as {@code recvCounts}, which all ranks pass, are
   * together; rank i gets the i-th part, of {@code recvCounts[i]} (MPI_Reduce_scatter). With {@link
   * #IN_PLACE} the receive buffer holds all of them, and the part is written to its begin.
   */
  void reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Op op);

  /** {@link #reduceScatter} with offsets and counts in elements of {@code type}. */
  void reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Datatype type,
      Op op);

  /** Rank i gets the reduction of ranks 0..i (MPI_Scan). All pass the same count. */
  void scan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op);

  /** {@link #scan} with offsets and count in elements of {@code type}. */
  void scan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op);

  /** Rank i gets the reduction of ranks 0..i-1; rank 0's buffer stays as it is (MPI_Exscan). */
  void exScan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op);

  /** {@link #exScan} with offsets and count in elements of {@code type}. */
  void exScan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op);

  // ---- communicators (MPI 4 chapter 7)

  /** A communicator of the same ranks with a context of its own (MPI_Comm_dup). Collective. */
  Comm dup();

  /**
   * One communicator a colour, its ranks ordered by key, then by rank here (MPI_Comm_split).
   * Collective.
   *
   * @param color not negative, or {@link #UNDEFINED} for no communicator
   * @return null if the colour was {@link #UNDEFINED}
   */
  @Nullable Comm split(int color, int key);

  /**
   * The communicator of a group, a subset of this one's (MPI_Comm_create). Collective over this
   * communicator.
   *
   * @return null for ranks that are not in the group
   */
  @Nullable Comm create(Group group);

  /** Its ranks (MPI_Comm_group). */
  Group group();

  /** How this one and {@code other} relate (MPI_Comm_compare). */
  Group.Comparison compare(Comm other);

  /** Marks it as no longer used (MPI_Comm_free). */
  void free();

  /**
   * Ends the whole job with this status (MPI_Abort). Does not return.
   *
   * @param status 1 to 255
   */
  void abort(int status);
}
