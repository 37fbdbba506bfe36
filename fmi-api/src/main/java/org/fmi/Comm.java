package org.fmi;

import org.jspecify.annotations.Nullable;

/**
 * A group of processes and a context that keeps their messages apart from all others (MPI_Comm of
 * an intracommunicator).
 *
 * <p>Buffers, offsets and counts: see the {@link org.fmi package}. The forms without offset and
 * count take the whole buffer: all of an array or segment, a byte buffer from its position to its
 * limit. The forms with an offset do not use a byte buffer's position, and none moves it. A
 * non-blocking call needs memory that, until it is complete, all threads that make calls may use:
 * any of their calls may move its data. Every call
 *
 * <ul>
 *   <li>throws {@link FmiException} for a wrong argument, before anything is sent;
 *   <li>ends once a failure is known, instead of blocking forever: in a loop it throws {@link
 *       Rollback}; outside of loops it never returns, as the process is killed, without {@code
 *       finally} blocks and shutdown hooks, and started again;
 *   <li>throws {@link IllegalStateException} after {@link Fmi#close}, but for those that only say
 *       what is known: {@link #rank}, {@link #size}, {@link #group} and {@link #compare}.
 * </ul>
 *
 * Communicators keep working after a recovery; a program does nothing for that.
 *
 * <p>One class because a communicator is one contract, as in MPI; most of its lines document
 * parameters.
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
   * Stands for the send buffer of a collective whose data is in the receive buffer (MPI_IN_PLACE).
   * Where there is a root, only the root may pass it; with {@link #scatter} and {@link #scatterv},
   * the root passes it for its receive buffer, and its part stays in the send buffer.
   *
   * <p>The offset and displacements that go with it are not used. A count is still the length of a
   * block, in elements of the other buffer, except in the v forms, which take lengths from the
   * other buffer's counts.
   */
  Object IN_PLACE = InPlace.IN_PLACE;

  /** The type of {@link #IN_PLACE}. */
  enum InPlace {
    /** The only value. */
    IN_PLACE
  }

  /**
   * This process's rank in this communicator (MPI_Comm_rank).
   *
   * @return 0 to {@link #size} - 1
   */
  int rank();

  /**
   * The number of ranks (MPI_Comm_size).
   *
   * @return 1 or more
   */
  int size();

  // ---- point to point (MPI 4 chapter 3)

  /**
   * Standard send (MPI_Send): returns when the buffer may be used again; may wait for the receiver.
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void send(Object buffer, long offset, long count, int dest, int tag);

  /**
   * {@link #send(Object, long, long, int, int)} of a whole buffer.
   *
   * @param buffer what is sent
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void send(Object buffer, int dest, int tag);

  /**
   * Synchronous send (MPI_Ssend): returns when the receiver has begun to receive, or when a
   * checkpoint has taken the message over.
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void ssend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Buffered send (MPI_Bsend): copies the message and returns at once.
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @throws FmiException {@link ErrorClass#BUFFER} if the buffer given by {@link #attachBuffer} has
   *     no room
   */
  void bsend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Ready send (MPI_Rsend): the program guarantees that the receive is posted.
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void rsend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Non-blocking {@link #send(Object, long, long, int, int)} (MPI_Isend).
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request isend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * {@link #isend(Object, long, long, int, int)} of a whole buffer.
   *
   * @param buffer what is sent
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request isend(Object buffer, int dest, int tag);

  /**
   * Non-blocking {@link #ssend} (MPI_Issend).
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request issend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Non-blocking {@link #bsend} (MPI_Ibsend).
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request ibsend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Non-blocking {@link #rsend} (MPI_Irsend).
   *
   * @param buffer what is sent
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request irsend(Object buffer, long offset, long count, int dest, int tag);

  /**
   * Lets buffered sends of this process hold up to {@code bytes} of messages (MPI_Buffer_attach). 0
   * detaches, and waits until all buffered messages are sent.
   *
   * @param bytes room for messages, in bytes; 0 detaches
   */
  void attachBuffer(long bytes);

  /**
   * Receives a message (MPI_Recv).
   *
   * @param buffer where the message goes
   * @param offset where it begins in {@code buffer}
   * @param count most elements that the message may have
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return who sent it, with which tag, and how long it is
   * @throws FmiException {@link ErrorClass#TRUNCATE} if the message is longer than {@code count}
   *     elements, and is lost; {@link ErrorClass#TYPE} if it was sent out of an array of another
   *     type than this one, or its length is not a whole number of the buffer's elements. Bytes
   *     ({@code byte[]}, byte buffers, segments) go with every type
   */
  Status recv(Object buffer, long offset, long count, int source, int tag);

  /**
   * {@link #recv(Object, long, long, int, int)} into a whole buffer.
   *
   * @param buffer where the message goes
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return who sent it, with which tag, and how long it is
   */
  Status recv(Object buffer, int source, int tag);

  /**
   * Non-blocking {@link #recv(Object, long, long, int, int)} (MPI_Irecv).
   *
   * @param buffer where the message goes
   * @param offset where it begins in {@code buffer}
   * @param count most elements that the message may have
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return the request to wait for; the buffer is not used until then
   */
  Request irecv(Object buffer, long offset, long count, int source, int tag);

  /**
   * {@link #irecv(Object, long, long, int, int)} into a whole buffer.
   *
   * @param buffer where the message goes
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return the request to wait for; the buffer is not used until then
   */
  Request irecv(Object buffer, int source, int tag);

  /**
   * Sends and receives at once, without deadlock (MPI_Sendrecv).
   *
   * @param sendBuffer what is sent
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCount how many elements
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param sendTag the tag of the message sent
   * @param recvBuffer where the received message goes; it does not overlap what is sent
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCount most elements that the message may have
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param recvTag the tag of the message received, or {@link #ANY_TAG}
   * @return the status of the message received
   */
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

  /**
   * Waits for a message without receiving it (MPI_Probe).
   *
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return who sent the message, with which tag, and how long it is
   */
  Status probe(int source, int tag);

  /**
   * The status of a message that can be received now, or null (MPI_Iprobe).
   *
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return the status, or null
   */
  @Nullable Status iprobe(int source, int tag);

  // ---- collective (MPI 4 chapter 6); all ranks call them in the same order

  /** Returns when all ranks have called it (MPI_Barrier). */
  void barrier();

  /**
   * Sends {@code count} elements of {@code root} to all others (MPI_Bcast). All pass the same
   * count.
   *
   * @param buffer what the root sends and the others receive
   * @param offset where it begins in {@code buffer}
   * @param count how many elements
   * @param root rank of the root
   */
  void bcast(Object buffer, long offset, long count, int root);

  /**
   * {@link #bcast(Object, long, long, int)} of a whole buffer.
   *
   * @param buffer what the root sends and the others receive
   * @param root rank of the root
   */
  void bcast(Object buffer, int root);

  /**
   * Collects each rank's {@code sendCount} elements at {@code root}, one block after the other in
   * rank order (MPI_Gather). All pass the same count. The receive buffer is used at the root only.
   *
   * @param sendBuffer what this rank sends; the root may pass {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCount elements that this rank sends
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param root rank of the root
   */
  void gather(
      Object sendBuffer,
      long sendOffset,
      long sendCount,
      @Nullable Object recvBuffer,
      long recvOffset,
      int root);

  /**
   * {@link #gather} with a count and a displacement for each rank (MPI_Gatherv). They and the
   * receive buffer are used at the root only.
   *
   * @param sendBuffer what this rank sends; the root may pass {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCount elements that this rank sends
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCounts elements received from each rank
   * @param displs where each rank's block begins, in elements from the offset
   * @param root rank of the root
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
   * Gives rank i the i-th block of {@code recvCount} elements of the root's send buffer
   * (MPI_Scatter). All pass the same count. The send buffer is used at the root only.
   *
   * @param sendBuffer the blocks of all ranks
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where this rank's block goes; the root may pass {@link #IN_PLACE}
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCount elements that this rank receives
   * @param root rank of the root
   */
  void scatter(
      @Nullable Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long recvCount,
      int root);

  /**
   * {@link #scatter} with a count and a displacement for each rank (MPI_Scatterv). They and the
   * send buffer are used at the root only.
   *
   * @param sendBuffer the blocks of all ranks
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCounts elements sent to each rank
   * @param displs where each rank's block begins, in elements from the offset
   * @param recvBuffer where this rank's block goes; the root may pass {@link #IN_PLACE}
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCount elements that this rank receives
   * @param root rank of the root
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
   * Collects each rank's {@code sendCount} elements at all ranks, one block after the other in rank
   * order (MPI_Allgather). All pass the same count.
   *
   * @param sendBuffer what this rank sends, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCount elements that this rank sends
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   */
  void allGather(
      Object sendBuffer, long sendOffset, long sendCount, Object recvBuffer, long recvOffset);

  /**
   * {@link #allGather} with a count and a displacement for each rank, which all ranks pass
   * (MPI_Allgatherv).
   *
   * @param sendBuffer what this rank sends, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCount elements that this rank sends
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCounts elements received from each rank
   * @param displs where each rank's block begins, in elements from the offset
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
   *
   * @param sendBuffer what this rank sends, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param count elements for each rank, and from each rank
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   */
  void allToAll(Object sendBuffer, long sendOffset, long count, Object recvBuffer, long recvOffset);

  /**
   * {@link #allToAll} with a count and a displacement for each rank, for what is sent and for what
   * is received (MPI_Alltoallv).
   *
   * @param sendBuffer what this rank sends, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param sendCounts elements sent to each rank
   * @param sendDispls where each rank's block begins in {@code sendBuffer}, in elements from the
   *     offset
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCounts elements received from each rank
   * @param recvDispls where each rank's block begins in {@code recvBuffer}, in elements from the
   *     offset
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
   * Reduces {@code count} elements of each rank, element by element, into the root's receive
   * buffer, which is used at the root only (MPI_Reduce). All pass the same count, type and
   * operation. This form is for arrays; byte buffers and segments need the form with a {@link
   * Datatype}, here and below.
   *
   * @param sendBuffer the operands of this rank; the root may pass {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param op how two elements are combined
   * @param root rank of the root
   */
  void reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Op op,
      int root);

  /**
   * {@link #reduce} with offsets and count in elements of {@code type}.
   *
   * @param sendBuffer the operands of this rank; the root may pass {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param type the type of the elements
   * @param op how two elements are combined
   * @param root rank of the root
   */
  void reduce(
      Object sendBuffer,
      long sendOffset,
      @Nullable Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op,
      int root);

  /**
   * {@link #reduce} with the result at all ranks (MPI_Allreduce).
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param op how two elements are combined
   */
  void allReduce(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op);

  /**
   * {@link #allReduce} with offsets and count in elements of {@code type}.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param type the type of the elements
   * @param op how two elements are combined
   */
  void allReduce(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op);

  /**
   * {@link #allReduce} of a whole array in place.
   *
   * @param array operands; replaced by the results
   * @param op how two elements are combined
   */
  void allReduce(Object array, Op op);

  /**
   * Reduces the elements of all ranks, and gives rank i the i-th part of the result, {@code
   * recvCounts[i]} elements (MPI_Reduce_scatter). Each rank contributes as many elements as the
   * counts are together. With {@link #IN_PLACE} the receive buffer holds all of them, and the part
   * is written to its beginning.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCounts elements of the result for each rank
   * @param op how two elements are combined
   */
  void reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Op op);

  /**
   * {@link #reduceScatter} with offsets and counts in elements of {@code type}.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param recvCounts elements of the result for each rank
   * @param type the type of the elements
   * @param op how two elements are combined
   */
  void reduceScatter(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long[] recvCounts,
      Datatype type,
      Op op);

  /**
   * Gives rank i the reduction of ranks 0..i (MPI_Scan). All pass the same count.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param op how two elements are combined
   */
  void scan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op);

  /**
   * {@link #scan} with offsets and count in elements of {@code type}.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param type the type of the elements
   * @param op how two elements are combined
   */
  void scan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op);

  /**
   * Gives rank i the reduction of ranks 0..i-1; rank 0's receive buffer stays as it is
   * (MPI_Exscan). All pass the same count.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param op how two elements are combined
   */
  void exScan(
      Object sendBuffer, long sendOffset, Object recvBuffer, long recvOffset, long count, Op op);

  /**
   * {@link #exScan} with offsets and count in elements of {@code type}.
   *
   * @param sendBuffer the operands of this rank, or {@link #IN_PLACE}
   * @param sendOffset where it begins in {@code sendBuffer}
   * @param recvBuffer where the result goes
   * @param recvOffset where it begins in {@code recvBuffer}
   * @param count elements that each rank contributes
   * @param type the type of the elements
   * @param op how two elements are combined
   */
  void exScan(
      Object sendBuffer,
      long sendOffset,
      Object recvBuffer,
      long recvOffset,
      long count,
      Datatype type,
      Op op);

  // ---- communicators (MPI 4 chapter 7)

  /**
   * Makes a communicator of the same ranks with a context of its own (MPI_Comm_dup). Collective.
   *
   * @return the new communicator
   */
  Comm dup();

  /**
   * Makes one communicator per colour, its ranks ordered by key, then by rank here
   * (MPI_Comm_split). Collective.
   *
   * @param color not negative, or {@link #UNDEFINED} for no communicator
   * @param key orders the ranks of a colour
   * @return null if the colour was {@link #UNDEFINED}
   */
  @Nullable Comm split(int color, int key);

  /**
   * Makes a communicator of a group, a subset of this one's (MPI_Comm_create). Collective over this
   * communicator.
   *
   * @param group the members; all ranks pass the same
   * @return null for ranks that are not in the group
   */
  @Nullable Comm create(Group group);

  /**
   * The group of its ranks (MPI_Comm_group).
   *
   * @return its members
   */
  Group group();

  /**
   * How this one and {@code other} relate (MPI_Comm_compare).
   *
   * @param other another communicator
   * @return {@link Group.Comparison#IDENT} only for the same object
   */
  Group.Comparison compare(Comm other);

  /**
   * Says that this communicator is used no longer (MPI_Comm_free). Later calls on it throw {@link
   * ErrorClass#COMM}.
   */
  void free();

  /**
   * Ends the whole job with this status (MPI_Abort). Does not return.
   *
   * @param status 1 to 255
   */
  void abort(int status);
}
