package org.fmi.core.object;

import java.io.InvalidObjectException;
import java.util.List;

/**
 * Substitutes for objects that are not data, which are serialized in their place and replaced by
 * the original objects when read: these continue to exist beside the serialized state.
 */
public interface StandIns {
  /** No object has a substitute. */
  StandIns NONE =
      new StandIns() {
        @Override
        public Object of(Object object) {
          return object;
        }

        @Override
        public Object find(Object read) {
          return read;
        }
      };

  /**
   * Begins writing a state; {@link #of} is called for its objects next.
   *
   * @param sections the state's objects, in the order written
   */
  default void writes(List<Object> sections) {}

  /**
   * A state has been read.
   *
   * @param sections its objects now, in the same order
   */
  default void haveRead(List<Object> sections) {}

  /** The substitute of an object; the object itself if it has none. */
  Object of(Object object);

  /**
   * The object that a substitute was written for; other objects are returned as they are.
   *
   * @throws InvalidObjectException if there is no such object
   */
  Object find(Object read) throws InvalidObjectException;
}
