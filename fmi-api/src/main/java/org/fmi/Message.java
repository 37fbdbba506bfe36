package org.fmi;

import org.jspecify.annotations.Nullable;

/**
 * A message that {@link Comm#mprobe} or {@link Comm#improbe} has matched (MPI_Message, MPI 4
 * §3.8.2): no other receive matches it. It is received once, by one of the methods here, which
 * transfers its data.
 *
 * <p>Receive it before the iteration ends: a checkpoint cannot hold it, and would be refused. After
 * a rollback it is void, like a {@link Request}, and the repeated iteration probes again.
 */
public interface Message {
  /**
   * Returns the result of the probe.
   *
   * @return the sender, the tag and the length; {@link Status#PROC_NULL} if the source is no
   *     process
   */
  Status status();

  /**
   * Receives the message (MPI_Mrecv).
   *
   * @param buffer where the message goes
   * @return as {@link #status}
   * @throws FmiException {@link ErrorClass#TRUNCATE} and {@link ErrorClass#TYPE} as {@link
   *     Comm#recv(Object, int, int)}, and the message is lost then; {@link ErrorClass#REQUEST} if
   *     it was received already, or was matched before a rollback
   */
  Status recv(Object buffer);

  /**
   * Starts to receive the message (MPI_Imrecv). The request cannot be cancelled.
   *
   * @param buffer where the message goes
   * @return the request to wait for; the buffer is not used until then
   * @throws FmiException {@link ErrorClass#REQUEST} if it was received already, or was matched
   *     before a rollback
   */
  Request irecv(Object buffer);

  /**
   * Receives the message into a new array of its length (MPI_Mrecv after MPI_Get_count).
   *
   * @param arrayType such as {@code double[].class}: an array of a primitive type
   * @param <T> the array
   * @return the array; an empty one of no process
   * @throws FmiException {@link ErrorClass#TYPE} if it was sent out of an array of another type, or
   *     has no whole number of elements; {@link ErrorClass#TRUNCATE} if no array is that long;
   *     {@link ErrorClass#REQUEST} if it was received already, or was matched before a rollback
   */
  <T> T recv(Class<T> arrayType);

  /**
   * Receives the message as an object, as {@link Comm#recvObject}.
   *
   * @param type the object's class, or one that it extends or implements
   * @param <T> the object
   * @return the object; null if null was sent, and of no process
   * @throws FmiException {@link ErrorClass#TYPE} as {@link Comm#recvObject}; {@link
   *     ErrorClass#REQUEST} if it was received already, or was matched before a rollback
   */
  <T> @Nullable T recvObject(Class<T> type);
}
