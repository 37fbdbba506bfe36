package org.fmi.core.object;

import java.io.InvalidObjectException;
import java.util.List;

/**
 * What is written in place of objects that are not data, and finds those again when it is read:
 * where they are part of what is serialized they go on to exist beside it.
 */
public interface StandIns {
  /** No object has one. */
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
   * A state is about to be written: what stands for objects of it follows.
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

  /** What is written in place of an object; the object itself if it has none. */
  Object of(Object object);

  /**
   * The object that this was written for; what was read itself if it stands for none.
   *
   * @throws InvalidObjectException if there is no such object
   */
  Object find(Object read) throws InvalidObjectException;
}
