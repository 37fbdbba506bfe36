package org.fmi;

/**
 * The result of a receive or probe (MPI_Status). Immutable.
 *
 * @param source the sender's rank in the communicator, or {@link Comm#PROC_NULL}
 * @param tag the message's tag
 * @param bytes the message's length in bytes
 */
public record Status(int source, int tag, long bytes) {
  /** Of a receive from {@link Comm#PROC_NULL}. */
  public static final Status PROC_NULL = new Status(Comm.PROC_NULL, Comm.ANY_TAG, 0);

  /** Of a request that received nothing: a completed send. */
  public static final Status EMPTY = new Status(Comm.ANY_SOURCE, Comm.ANY_TAG, 0);

  /**
   * The number of elements of {@code type} received (MPI_Get_count).
   *
   * @param type the type of the elements
   * @return how many elements the message has
   * @throws FmiException {@link ErrorClass#TYPE} if the message is not a whole number of elements
   */
  public long count(Datatype type) {
    if (bytes % type.bytes() != 0) {
      throw new FmiException(
          ErrorClass.TYPE,
          "a message of " + bytes + " bytes holds no whole number of " + type + " elements");
    }
    return bytes / type.bytes();
  }
}
