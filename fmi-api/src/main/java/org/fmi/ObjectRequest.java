package org.fmi;

import org.jspecify.annotations.Nullable;

/**
 * A non-blocking receive of an object: see {@link Comm#irecvObject}.
 *
 * @param <T> the object
 */
public interface ObjectRequest<T> extends Request {
  /**
   * Blocks until the operation is complete, and returns the object, the same one in each call.
   *
   * @return the object; null if null was sent, or the source is {@link Comm#PROC_NULL}
   * @throws FmiException {@link ErrorClass#TYPE} if the message is no object of that class, or
   *     cannot be read; the message is then lost
   */
  @Nullable T get();
}
