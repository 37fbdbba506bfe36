package org.fmi.core.log;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.fmi.core.p2p.PointToPoint;
import org.jspecify.annotations.Nullable;

/**
 * A place in a loop's state, valid in another process too.
 *
 * @param section the number of the object that holds it
 * @param offset in bytes, from the object's beginning
 */
record StatePlace(int section, long offset) implements Serializable {
  /**
   * Finds a buffer's place.
   *
   * @param base an array or segment, as in {@link PointToPoint}
   * @param offset of the buffer in it, in bytes
   * @param bytes length of the buffer
   * @return null if no single object holds all of the buffer
   */
  @SuppressWarnings("ReferenceEquality") // identity matters, not contents
  static @Nullable StatePlace of(List<Object> sections, Object base, long offset, long bytes) {
    for (int i = 0; i < sections.size(); i++) {
      Object object = sections.get(i);
      if (object == base) {
        return new StatePlace(i, offset);
      }
      long within = -1;
      long size = 0;
      if (object instanceof ByteBuffer b && b.hasArray()) {
        within = b.array() == base ? offset - b.arrayOffset() : -1;
        size = b.capacity();
      } else if (base instanceof MemorySegment s) {
        MemorySegment memory = segment(object);
        if (memory != null && isOneMemory(memory, s)) {
          within = s.address() + offset - memory.address();
          size = memory.byteSize();
        }
      }
      if (within >= 0 && within <= size - bytes) {
        return new StatePlace(i, within);
      }
    }
    return null;
  }

  /** A segment, or a buffer without an array, as a segment. */
  private static @Nullable MemorySegment segment(Object object) {
    if (object instanceof MemorySegment s) {
      return s;
    }
    return object instanceof ByteBuffer b && !b.hasArray()
        ? MemorySegment.ofBuffer(b.duplicate().clear())
        : null;
  }

  @SuppressWarnings("ReferenceEquality") // identity matters, not contents
  private static boolean isOneMemory(MemorySegment a, MemorySegment b) {
    return a.heapBase().orElse(null) == b.heapBase().orElse(null);
  }

  /** The array or segment that holds the place. */
  @SuppressWarnings("ByteBufferBackingArray") // offsetIn adds the array's offset
  Object base(List<Object> sections) {
    Object object = sections.get(section);
    if (object instanceof ByteBuffer b && b.hasArray()) {
      return b.array();
    }
    MemorySegment memory = segment(object);
    return memory == null ? object : memory;
  }

  /** The place's offset in {@link #base}, in bytes. */
  long offsetIn(List<Object> sections) {
    return sections.get(section) instanceof ByteBuffer b && b.hasArray()
        ? b.arrayOffset() + offset
        : offset;
  }
}
