package org.fmi.core.object;

import java.io.InvalidObjectException;

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

  /** What is written in place of an object; the object itself if it has none. */
  Object of(Object object);

  /**
   * The object that this was written for; what was read itself if it stands for none.
   *
   * @throws InvalidObjectException if there is no such object
   */
  Object find(Object read) throws InvalidObjectException;
}
