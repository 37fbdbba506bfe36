package org.fmi;

import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A group of processes and a context that keeps their messages apart from all others (MPI_Comm of
 * an intracommunicator).
 *
 * <p>A buffer is an array of a primitive type, a NIO buffer from its position to its limit, a
 * memory segment, or a {@link Slice} of one of these: see the {@link org.fmi package}. No call
 * moves a position. A non-blocking call needs memory that, until it is complete, all threads that
 * make calls may use: any of their calls may move its data. Every call
 *
 * <ul>
 *   <li>throws {@link FmiException} for a wrong argument, before anything is sent;
 *   <li>ends once a failure is known, instead of blocking forever: in a loop it throws {@link
 *       Rollback}; outside of loops it never returns, as the process is killed, without {@code
 *       finally} blocks and shutdown hooks, and started again;
 *   <li>throws {@link IllegalStateException} after {@link Fmi#close}, but for those that only say
 *       what is known: {@link #rank}, {@link #size}, {@link #group} and {@link #compare}; and
 *       {@link #close}, which has no effect then.
 * </ul>
 *
 * Communicators keep working after a recovery; a program does nothing for that.
 *
 * <p>A program closes a communicator that it has made, for example by try-with-resources: that
 * gives up the memory that its ranks share on a node.
 *
 * <p>One class because a communicator is one contract, as in MPI; most of its lines document
 * parameters.
 */
public interface Comm extends AutoCloseable {
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
   * <p>A block is then the other buffer's length divided by the number of ranks, which must divide
   * it; in the v forms the blocks are given by counts and displacements of the other buffer.
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
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void send(Object buffer, int dest, int tag);

  /**
   * Synchronous send (MPI_Ssend): returns when the receiver has begun to receive, or when a
   * checkpoint has taken the message over.
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void ssend(Object buffer, int dest, int tag);

  /**
   * Buffered send (MPI_Bsend): copies the message and returns at once.
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @throws FmiException {@link ErrorClass#BUFFER} if the buffer given by {@link #attachBuffer} has
   *     no room
   */
  void bsend(Object buffer, int dest, int tag);

  /**
   * Ready send (MPI_Rsend): the program guarantees that the receive is posted.
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   */
  void rsend(Object buffer, int dest, int tag);

  /**
   * Non-blocking {@link #send} (MPI_Isend).
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request isend(Object buffer, int dest, int tag);

  /**
   * Non-blocking {@link #ssend} (MPI_Issend).
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request issend(Object buffer, int dest, int tag);

  /**
   * Non-blocking {@link #bsend} (MPI_Ibsend).
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request ibsend(Object buffer, int dest, int tag);

  /**
   * Non-blocking {@link #rsend} (MPI_Irsend).
   *
   * @param buffer the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for; the buffer is not changed until then
   */
  Request irsend(Object buffer, int dest, int tag);

  /**
   * Lets buffered sends of this process hold up to {@code bytes} of messages (MPI_Buffer_attach). 0
   * detaches, and waits until all buffered messages are sent.
   *
   * @param bytes room for messages, in bytes; 0 detaches
   */
  void attachBuffer(long bytes);

  /**
   * Receives a message (MPI_Recv). It may be shorter than the buffer, whose rest stays as it is.
   *
   * @param buffer where the message goes
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return the sender, the tag and the length of the message
   * @throws FmiException {@link ErrorClass#TRUNCATE} if the message is longer than the buffer, and
   *     is lost; {@link ErrorClass#TYPE} if it was sent from elements of another type, or its
   *     length is not a whole number of the buffer's elements. Bytes ({@code byte[]}, byte buffers
   *     and segments without a {@link Datatype}) go with every type
   */
  Status recv(Object buffer, int source, int tag);

  /**
   * Non-blocking {@link #recv} (MPI_Irecv).
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
   * @param send the data to send
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param sendTag the tag of the message sent
   * @param recv where the received message goes; it does not overlap the data to send
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param recvTag the tag of the message received, or {@link #ANY_TAG}
   * @return the status of the message received
   */
  Status sendRecv(Object send, int dest, int sendTag, Object recv, int source, int recvTag);

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

  /**
   * Waits for a message and takes it out of matching, so that only {@link Message} receives it
   * (MPI_Mprobe).
   *
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return the message, to be received before the iteration ends
   */
  Message mprobe(int source, int tag);

  /**
   * {@link #mprobe} of a message that can be received now, or null (MPI_Improbe).
   *
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @return the message, to be received before the iteration ends; or null
   */
  @Nullable Message improbe(int source, int tag);

  /**
   * Receives a message of any length into a new array (MPI_Mprobe, MPI_Get_count and MPI_Mrecv).
   *
   * @param arrayType such as {@code double[].class}: an array of a primitive type
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @param <T> the array
   * @return an array as long as the message; an empty one from {@link #PROC_NULL}
   * @throws FmiException {@link ErrorClass#TYPE} if the message was sent out of an array of another
   *     type than this one, or its length is not a whole number of elements; {@link
   *     ErrorClass#TRUNCATE} if no array is that long. The message is lost then
   */
  <T> T recv(Class<T> arrayType, int source, int tag);

  // ---- objects as messages

  /**
   * Sends an object and everything that it refers to (MPI_Send of MPI.OBJECT in mpiJava). Only
   * {@link #recvObject}, {@link #irecvObject} and {@link Message#recvObject} receive it. The object
   * is copied at once: by a fast format for common objects, else by Java's serialization.
   *
   * @param object what is sent: {@link java.io.Serializable}, or null
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @throws FmiException {@link ErrorClass#TYPE} if it refers to something that is not
   *     serializable, or that the receiver's filter would refuse; nothing is sent then
   */
  void sendObject(@Nullable Object object, int dest, int tag);

  /**
   * Non-blocking {@link #sendObject} (MPI_Isend). The object may be changed at once.
   *
   * @param object what is sent: {@link java.io.Serializable}, or null
   * @param dest rank of the receiver, or {@link #PROC_NULL}
   * @param tag 0 or greater; receives select by it
   * @return the request to wait for
   * @throws FmiException {@link ErrorClass#TYPE} as {@link #sendObject}
   */
  Request isendObject(@Nullable Object object, int dest, int tag);

  /**
   * Receives an object (MPI_Recv of MPI.OBJECT in mpiJava). To learn its sender, probe with {@link
   * #mprobe} and receive the {@link Message}.
   *
   * @param type the object's class, or one that it extends or implements
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @param <T> the object
   * @return the object; null if null was sent, and from {@link #PROC_NULL}
   * @throws FmiException {@link ErrorClass#TYPE} if the message is no object, or one of another
   *     class, or a filter of classes refuses it, or it cannot be read; the message is then lost
   */
  <T> @Nullable T recvObject(Class<T> type, int source, int tag);

  /**
   * Non-blocking {@link #recvObject} (MPI_Irecv).
   *
   * @param type the object's class, or one that it extends or implements
   * @param source rank of the sender, {@link #ANY_SOURCE} or {@link #PROC_NULL}
   * @param tag the tag of the message, or {@link #ANY_TAG}
   * @param <T> the object
   * @return the request to get the object from, before the iteration ends
   */
  <T> ObjectRequest<T> irecvObject(Class<T> type, int source, int tag);

  /**
   * Sends an object of {@code root} to all others (MPI_Bcast). All ranks call it.
   *
   * @param object the object that the root sends; ignored at all other ranks
   * @param root rank of the root
   * @param <T> the object
   * @return the object; at the root the given object itself
   * @throws FmiException {@link ErrorClass#TYPE} at all ranks if it cannot be sent, and at a rank
   *     that cannot read it
   */
  <T> @Nullable T bcastObject(@Nullable T object, int root);

  /**
   * Collects an object of each rank at {@code root} (MPI_Gather).
   *
   * @param object what this rank sends
   * @param root rank of the root
   * @param <T> the objects
   * @return at the root the objects in the order of ranks, which has null where null was sent;
   *     elsewhere an empty list
   * @throws FmiException {@link ErrorClass#TYPE} at a rank whose object cannot be sent, and at the
   *     root, which then gets none
   */
  <T> List<@Nullable T> gatherObjects(@Nullable T object, int root);

  /**
   * {@link #gatherObjects} at all ranks (MPI_Allgather).
   *
   * @param object what this rank sends
   * @param <T> the objects
   * @return the objects in the order of ranks
   * @throws FmiException {@link ErrorClass#TYPE} at all ranks if an object cannot be sent
   */
  <T> List<@Nullable T> allGatherObjects(@Nullable T object);

  /**
   * Sends an object of {@code root} to each rank (MPI_Scatter).
   *
   * @param objects one for each rank, in their order; used at the root only
   * @param root rank of the root
   * @param <T> the objects
   * @return this rank's object; at the root the given object itself
   * @throws FmiException {@link ErrorClass#TYPE} at all ranks if an object cannot be sent
   */
  <T> @Nullable T scatterObjects(@Nullable List<? extends @Nullable T> objects, int root);

  /**
   * Joins the objects of all ranks at {@code root}, in their order (MPI_Reduce).
   *
   * @param object this rank's
   * @param op associative; need not be commutative. Called at the root alone, from left to right
   * @param root rank of the root
   * @param <T> the objects
   * @return the result at the root, null elsewhere
   * @throws FmiException {@link ErrorClass#TYPE} as {@link #gatherObjects}
   */
  <T> @Nullable T reduceObject(T object, BinaryOperator<T> op, int root);

  /**
   * {@link #reduceObject} whose result all ranks get (MPI_Allreduce). It is computed once.
   *
   * @param object this rank's
   * @param op associative; need not be commutative. What it throws ends the call at all ranks
   * @param <T> the objects
   * @return the result
   * @throws FmiException {@link ErrorClass#TYPE} at all ranks if an object cannot be sent
   */
  <T> @Nullable T allReduceObject(T object, BinaryOperator<T> op);

  // ---- collective (MPI 4 chapter 6); all ranks call them in the same order

  /** Returns when all ranks have called it (MPI_Barrier). */
  void barrier();

  /**
   * Sends the root's data to all other ranks (MPI_Bcast). All ranks pass the same number of
   * elements.
   *
   * @param buffer the data at the root; the destination at all other ranks
   * @param root rank of the root
   */
  void bcast(Object buffer, int root);

  /**
   * Collects the data of each rank at the root, one block after the other in rank order
   * (MPI_Gather). A block is as long as the data of a rank; all ranks pass the same number of
   * elements. The receive buffer is used at the root only.
   *
   * @param send the data of this rank; the root may pass {@link #IN_PLACE}, a block is then the
   *     receive buffer's length divided by the number of ranks
   * @param recv at least a block per rank; what follows the last block stays as it is
   * @param root rank of the root
   */
  void gather(Object send, @Nullable Object recv, int root);

  /**
   * {@link #gather} with a count and a displacement per rank (MPI_Gatherv). They and the receive
   * buffer are used at the root only; where a call passes a literal {@code null} for both, one
   * needs a cast: {@code (int[]) null}.
   *
   * @param send the data of this rank; the root may pass {@link #IN_PLACE}
   * @param recv where the blocks go
   * @param counts room for each rank's block, in elements: what a rank does not fill stays as it is
   * @param displs the first element of each rank's block in {@code recv}
   * @param root rank of the root
   * @throws FmiException {@link ErrorClass#TRUNCATE} if a rank sends more than there is room for
   */
  default void gatherv(
      Object send,
      @Nullable Object recv,
      int @Nullable [] counts,
      int @Nullable [] displs,
      int root) {
    gatherv(send, recv, longsOrNull(counts), longsOrNull(displs), root);
  }

  /**
   * {@link #gatherv(Object, Object, int[], int[], int)} with large counts (MPI_Gatherv_c).
   *
   * @param send the data of this rank; the root may pass {@link #IN_PLACE}
   * @param recv where the blocks go
   * @param counts elements of each rank's block
   * @param displs the first element of each rank's block in {@code recv}
   * @param root rank of the root
   */
  void gatherv(
      Object send,
      @Nullable Object recv,
      long @Nullable [] counts,
      long @Nullable [] displs,
      int root);

  /**
   * Gives rank i the i-th block of the root's data (MPI_Scatter). A block is as long as the receive
   * buffer; all ranks pass the same number of elements. The send buffer is used at the root only.
   *
   * @param send at least a block per rank
   * @param recv where this rank's block goes; the root may pass {@link #IN_PLACE}, a block is then
   *     the send buffer's length divided by the number of ranks, and the root's stays there
   * @param root rank of the root
   */
  void scatter(@Nullable Object send, Object recv, int root);

  /**
   * {@link #scatter} with a count and a displacement per rank (MPI_Scatterv). They and the send
   * buffer are used at the root only; where a call passes a literal {@code null} for both, one
   * needs a cast: {@code (int[]) null}.
   *
   * @param send the blocks of all ranks
   * @param counts elements of each rank's block
   * @param displs the first element of each rank's block in {@code send}
   * @param recv where this rank's block goes, which may be shorter: the rest stays as it is; the
   *     root may pass {@link #IN_PLACE}
   * @param root rank of the root
   * @throws FmiException {@link ErrorClass#TRUNCATE} if a rank sends more than there is room for
   */
  default void scatterv(
      @Nullable Object send,
      int @Nullable [] counts,
      int @Nullable [] displs,
      Object recv,
      int root) {
    scatterv(send, longsOrNull(counts), longsOrNull(displs), recv, root);
  }

  /**
   * {@link #scatterv(Object, int[], int[], Object, int)} with large counts (MPI_Scatterv_c).
   *
   * @param send the blocks of all ranks
   * @param counts elements of each rank's block
   * @param displs the first element of each rank's block in {@code send}
   * @param recv where this rank's block goes; the root may pass {@link #IN_PLACE}
   * @param root rank of the root
   */
  void scatterv(
      @Nullable Object send,
      long @Nullable [] counts,
      long @Nullable [] displs,
      Object recv,
      int root);

  /**
   * Collects the data of each rank at all ranks, one block after the other in rank order
   * (MPI_Allgather). A block is as long as the data of a rank; all ranks pass the same number of
   * elements.
   *
   * @param send the data of this rank, or {@link #IN_PLACE}: a block is then the receive buffer's
   *     length divided by the number of ranks
   * @param recv at least a block per rank; what follows the last block stays as it is
   */
  void allGather(Object send, Object recv);

  /**
   * {@link #allGather} with a count and a displacement per rank; all ranks pass the same counts
   * (MPI_Allgatherv).
   *
   * @param send the data of this rank, or {@link #IN_PLACE}
   * @param recv where the blocks go
   * @param counts room for each rank's block, in elements: what a rank does not fill stays as it is
   * @param displs the first element of each rank's block in {@code recv}
   * @throws FmiException {@link ErrorClass#TRUNCATE} if a rank sends more than its count
   */
  default void allGatherv(Object send, Object recv, int[] counts, int[] displs) {
    allGatherv(send, recv, longs(counts), longs(displs));
  }

  /**
   * {@link #allGatherv(Object, Object, int[], int[])} with large counts (MPI_Allgatherv_c).
   *
   * @param send the data of this rank, or {@link #IN_PLACE}
   * @param recv where the blocks go
   * @param counts elements of each rank's block
   * @param displs the first element of each rank's block in {@code recv}
   */
  void allGatherv(Object send, Object recv, long[] counts, long[] displs);

  /**
   * Sends the i-th block of the send buffer to rank i, and receives rank i's into the i-th block of
   * the receive buffer (MPI_Alltoall). A block is the send buffer's length divided by the number of
   * ranks; all ranks pass the same number of elements.
   *
   * @param send a block per rank, or {@link #IN_PLACE}: the receive buffer has them, and is a whole
   *     number of blocks
   * @param recv at least a block per rank; what follows the last block stays as it is
   */
  void allToAll(Object send, Object recv);

  /**
   * {@link #allToAll} with a count and a displacement per rank, for what is sent and for what is
   * received (MPI_Alltoallv).
   *
   * @param send the blocks to send, or {@link #IN_PLACE}: the receive buffer has them, and {@code
   *     sendCounts} and {@code sendDispls} are not used
   * @param sendCounts elements for each rank
   * @param sendDispls the first element of each rank's block in {@code send}
   * @param recv where the blocks go
   * @param recvCounts room for each rank's block, in elements: what a rank does not fill stays as
   *     it is
   * @param recvDispls the first element of each rank's block in {@code recv}
   * @throws FmiException {@link ErrorClass#TRUNCATE} if a rank sends more than there is room for
   */
  default void allToAllv(
      Object send,
      int @Nullable [] sendCounts,
      int @Nullable [] sendDispls,
      Object recv,
      int[] recvCounts,
      int[] recvDispls) {
    allToAllv(
        send,
        longsOrNull(sendCounts),
        longsOrNull(sendDispls),
        recv,
        longs(recvCounts),
        longs(recvDispls));
  }

  /**
   * {@link #allToAllv(Object, int[], int[], Object, int[], int[])} with large counts
   * (MPI_Alltoallv_c).
   *
   * @param send the blocks to send, or {@link #IN_PLACE}
   * @param sendCounts elements for each rank
   * @param sendDispls the first element of each rank's block in {@code send}
   * @param recv where the blocks go
   * @param recvCounts elements from each rank
   * @param recvDispls the first element of each rank's block in {@code recv}
   */
  void allToAllv(
      Object send,
      long @Nullable [] sendCounts,
      long @Nullable [] sendDispls,
      Object recv,
      long[] recvCounts,
      long[] recvDispls);

  /**
   * Reduces the data of all ranks, element by element, into the root's receive buffer, which is
   * used at the root only (MPI_Reduce). All ranks pass the same number of elements, of the same
   * type, and the same operation. Segments and byte buffers need a type, here and below: {@link
   * Slice#of(java.lang.foreign.MemorySegment, Datatype)}.
   *
   * @param send the operands of this rank; the root may pass {@link #IN_PLACE}, which makes the
   *     receive buffer's elements its operands
   * @param recv where the result goes: at least as many elements as the operands
   * @param op how two elements are combined
   * @param root rank of the root
   */
  void reduce(Object send, @Nullable Object recv, Op op, int root);

  /**
   * {@link #reduce} with the result at all ranks (MPI_Allreduce).
   *
   * @param send the operands of this rank, or {@link #IN_PLACE}
   * @param recv where the result goes: at least as many elements as the operands
   * @param op how two elements are combined
   */
  void allReduce(Object send, Object recv, Op op);

  /**
   * {@link #allReduce(Object, Object, Op)} in place.
   *
   * @param buffer operands; replaced by the results
   * @param op how two elements are combined
   */
  default void allReduce(Object buffer, Op op) {
    allReduce(IN_PLACE, buffer, op);
  }

  /**
   * Reduces the data of all ranks, and gives rank i the i-th part of the result, {@code counts[i]}
   * elements (MPI_Reduce_scatter). All ranks pass the same counts.
   *
   * @param send the operands of this rank: as many elements as the counts are together, or more; or
   *     {@link #IN_PLACE}: the receive buffer holds them, and the part is written to its beginning
   * @param recv where this rank's part of the result goes
   * @param counts elements of the result for each rank
   * @param op how two elements are combined
   */
  default void reduceScatter(Object send, Object recv, int[] counts, Op op) {
    reduceScatter(send, recv, longs(counts), op);
  }

  /**
   * {@link #reduceScatter(Object, Object, int[], Op)} with large counts (MPI_Reduce_scatter_c).
   *
   * @param send the operands of this rank, or {@link #IN_PLACE}
   * @param recv where this rank's part of the result goes
   * @param counts elements of the result for each rank
   * @param op how two elements are combined
   */
  void reduceScatter(Object send, Object recv, long[] counts, Op op);

  /**
   * Gives rank i the reduction of ranks 0..i (MPI_Scan). All ranks pass the same number of
   * elements, of the same type, and the same operation.
   *
   * @param send the operands of this rank, or {@link #IN_PLACE}
   * @param recv where the result goes: at least as many elements as the operands
   * @param op how two elements are combined
   */
  void scan(Object send, Object recv, Op op);

  /**
   * Gives rank i the reduction of ranks 0..i-1; rank 0's receive buffer stays as it is
   * (MPI_Exscan). All ranks pass the same number of elements, of the same type, and the same
   * operation.
   *
   * @param send the operands of this rank, or {@link #IN_PLACE}
   * @param recv where the result goes: at least as many elements as the operands
   * @param op how two elements are combined
   */
  void exScan(Object send, Object recv, Op op);

  // ---- collectives of one number: as those of an array of one element

  /**
   * Sends an {@code int} of the root to all ranks.
   *
   * @param value used at the root only
   * @param root rank of the root
   * @return the root's value
   */
  default int bcast(int value, int root) {
    int[] one = {value};
    bcast(one, root);
    return one[0];
  }

  /**
   * Reduces an {@code int} of each rank.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the result, at all ranks
   */
  default int allReduce(int value, Op op) {
    int[] one = {value};
    allReduce(one, op);
    return one[0];
  }

  /**
   * Reduces an {@code int} of each rank up to this one.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the reduction of ranks 0 to this one
   */
  default int scan(int value, Op op) {
    int[] one = {value};
    scan(IN_PLACE, one, op);
    return one[0];
  }

  /**
   * Reduces an {@code int} of each rank before this one.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the reduction of ranks 0 to the one before this; 0 at rank 0
   */
  default int exScan(int value, Op op) {
    int[] result = {0};
    exScan(new int[] {value}, result, op);
    return result[0];
  }

  /**
   * Sends a {@code long} of the root to all ranks.
   *
   * @param value used at the root only
   * @param root rank of the root
   * @return the root's value
   */
  default long bcast(long value, int root) {
    long[] one = {value};
    bcast(one, root);
    return one[0];
  }

  /**
   * Reduces a {@code long} of each rank.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the result, at all ranks
   */
  default long allReduce(long value, Op op) {
    long[] one = {value};
    allReduce(one, op);
    return one[0];
  }

  /**
   * Reduces a {@code long} of each rank up to this one.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the reduction of ranks 0 to this one
   */
  default long scan(long value, Op op) {
    long[] one = {value};
    scan(IN_PLACE, one, op);
    return one[0];
  }

  /**
   * Reduces a {@code long} of each rank before this one.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the reduction of ranks 0 to the one before this; 0 at rank 0
   */
  default long exScan(long value, Op op) {
    long[] result = {0};
    exScan(new long[] {value}, result, op);
    return result[0];
  }

  /**
   * Sends a {@code double} of the root to all ranks.
   *
   * @param value used at the root only
   * @param root rank of the root
   * @return the root's value
   */
  default double bcast(double value, int root) {
    double[] one = {value};
    bcast(one, root);
    return one[0];
  }

  /**
   * Reduces a {@code double} of each rank.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the result, at all ranks
   */
  default double allReduce(double value, Op op) {
    double[] one = {value};
    allReduce(one, op);
    return one[0];
  }

  /**
   * Reduces a {@code double} of each rank up to this one.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the reduction of ranks 0 to this one
   */
  default double scan(double value, Op op) {
    double[] one = {value};
    scan(IN_PLACE, one, op);
    return one[0];
  }

  /**
   * Reduces a {@code double} of each rank before this one.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined
   * @return the reduction of ranks 0 to the one before this; 0 at rank 0
   */
  default double exScan(double value, Op op) {
    double[] result = {0};
    exScan(new double[] {value}, result, op);
    return result[0];
  }

  /**
   * Reduces a {@code boolean} of each rank.
   *
   * @param value the operand of this rank
   * @param op how two operands are combined: LAND, LOR or LXOR, or one of the program's own
   * @return the result, at all ranks
   */
  default boolean allReduce(boolean value, Op op) {
    boolean[] one = {value};
    allReduce(one, op);
    return one[0];
  }

  // ---- communicators (MPI 4 chapter 7)

  /**
   * Makes a communicator of the same ranks with a new context (MPI_Comm_dup). Collective.
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

  // ---- the loss of ranks (ULFM, the extension of MPI for failures)

  /**
   * Whether all calls can succeed. Local. Where lost ranks are replaced, it is always {@link
   * CommState#VALID}: calls throw {@link Rollback} until the rank is back.
   *
   * @return what this rank knows
   */
  CommState state();

  /**
   * The members that have died, in the order of their deaths, which is the same at all ranks
   * (MPIX_Comm_get_failed). Local: another rank may know of more, or of fewer. Empty where lost
   * ranks are replaced.
   *
   * @return a group of members
   */
  Group failed();

  /**
   * Lets receives from {@link #ANY_SOURCE} wait for the living members, after the deaths that
   * {@link #failed} knows of (MPIX_Comm_ack_failed); before, such a receive fails with {@link
   * ErrorClass#PROC_FAILED} unless its message is here. Collectives fail as before. Local.
   */
  void ackFailed();

  /**
   * Agrees on the bits that are set at all members (MPIX_Comm_agree). Collective over the living
   * members, also on a communicator that has lost some or was revoked; only this call and {@link
   * #shrink} are. All get the same result, even if members die meanwhile. Other than
   * MPIX_Comm_agree it does not throw for deaths: ask {@link #failed} afterwards, which knows at
   * least those that the agreement has left out.
   *
   * <p>Where lost ranks are replaced it is an all-reduce with {@link Op#BAND}.
   *
   * @param flags the bits of this rank
   * @return the bits that all members have set that were asked
   */
  long agree(long flags);

  /**
   * Makes a communicator of the living members, in the order of their ranks here
   * (MPIX_Comm_shrink). Collective over the living members, also on a communicator that has lost
   * some or was revoked. All get the same members, even if some die meanwhile: a member that dies
   * after the others have agreed is in it, and the next call that needs it fails, so shrink again.
   *
   * <p>Where lost ranks are replaced no member is missing: it is {@link #dup}.
   *
   * @return the new communicator, of which this rank is a member
   */
  Comm shrink();

  /**
   * Ends this communicator at all members, also in the middle of a call (MPIX_Comm_revoke): their
   * calls on it fail with {@link ErrorClass#REVOKED}, except {@link #agree} and {@link #shrink}.
   * One member calls it when it leaves a pattern of communication that others are still in, and
   * would wait for. Not collective, and cannot be undone.
   *
   * @throws FmiException {@link ErrorClass#OTHER} where lost ranks are replaced, as a rollback
   *     could not undo it
   */
  void revoke();

  /**
   * The group of its ranks (MPI_Comm_group).
   *
   * @return its members
   */
  Group group();

  /**
   * Compares this communicator with {@code other} (MPI_Comm_compare).
   *
   * @param other another communicator
   * @return {@link Group.Comparison#IDENT} only for the same object
   */
  Group.Comparison compare(Comm other);

  /**
   * Ends the use of this communicator (MPI_Comm_free): later calls on it throw {@link
   * ErrorClass#COMM}. Local. Without effect on a communicator that was closed or rolled back, on
   * the communicator of all ranks, and after {@link Fmi#close}, which ends all.
   */
  @Override
  void close();

  /**
   * Ends the whole job with this status (MPI_Abort). Does not return.
   *
   * @param status 1 to 255
   */
  void abort(int status);

  private static long[] longs(int[] values) {
    if (values == null) {
      throw new FmiException(
          ErrorClass.ARG, "null are no counts or displacements: give one for each rank");
    }
    long[] longs = new long[values.length];
    for (int i = 0; i < values.length; i++) {
      longs[i] = values[i];
    }
    return longs;
  }

  private static long @Nullable [] longsOrNull(int @Nullable [] values) {
    return values == null ? null : longs(values);
  }
}
