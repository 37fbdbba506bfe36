package org.fmi;

import org.jspecify.annotations.Nullable;

/**
 * The receive of an object under way: see {@link Comm#irecvObject}.
 *
 * @param <T> the object
 */
public interface ObjectRequest<T> extends Request {
  /**
   * Blocks until the operation is complete, and gives the object: the same one each time.
   *
   * @return the object; null if null was sent, or nobody sends
   * @throws FmiException {@link ErrorClass#TYPE} if what was sent is no object of that class, or
   *     cannot be read; it is lost then
   */
  @Nullable T get();
}
