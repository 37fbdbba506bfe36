package org.fmi.core.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.object.StandIns;
import org.fmi.wire.FrameLayout;

/**
 * Finds differences between two images of a loop's state, section by section, and describes each:
 * the object, the element, and both values.
 */
public final class StateDifferences {
  /** Differences beyond this number are counted, not listed. */
  private static final int MAX_LISTED = 3;

  private final LoopState state;
  private final String first;
  private final String second;
  private final List<String> listed = new ArrayList<>();
  private long found;

  /**
   * Prepares a comparison.
   *
   * @param state the state of the second image, as it was written last
   * @param first when the first image was taken, in words
   * @param second when the second image was taken, in words
   */
  public StateDifferences(LoopState state, String first, String second) {
    this.state = state;
    this.first = first;
    this.second = second;
  }

  /** Describes all differences in one sentence; empty if there are none. */
  public String of(MemorySegment one, MemorySegment other) {
    long a = 0;
    long b = 0;
    for (int section = 0; a < one.byteSize() && b < other.byteSize(); section++) {
      long kindA = one.get(FrameLayout.LONG, a);
      long kindB = other.get(FrameLayout.LONG, b);
      MemorySegment dataA = data(one, a);
      MemorySegment dataB = data(other, b);
      if (kindA != kindB
          || (StateKind.isNested(kindA) && dataA.mismatch(dataB) >= 0)
          || (dataA.byteSize() != dataB.byteSize() && !isWritten(kindA))) {
        differs(section, "", describe(kindA, dataA), describe(kindB, dataB));
        break; // the following sections may be of other objects
      }
      compare(section, kindA, dataA, dataB);
      a += LoopState.sectionEnd(dataA.byteSize());
      b += LoopState.sectionEnd(dataB.byteSize());
    }
    if (found == 0) {
      return "";
    }
    String more = found > listed.size() ? " (and " + (found - listed.size()) + " more)" : "";
    return String.join("; ", listed) + more;
  }

  private static MemorySegment data(MemorySegment image, long at) {
    return image.asSlice(
        at + LoopState.SECTION_HEADER, image.get(FrameLayout.LONG, at + Long.BYTES));
  }

  private static boolean isWritten(long kind) {
    return kind == StateKind.SELF_WRITING.number || kind == StateKind.SERIALIZED.number;
  }

  private void compare(int section, long kind, MemorySegment a, MemorySegment b) {
    long at = a.mismatch(b);
    if (at < 0) {
      return;
    }
    StateKind base = StateKind.of(kind);
    if (base == StateKind.SERIALIZED && areEqual(a, b)) {
      return;
    }
    if (isWritten(kind)) {
      differs(section, ", byte " + at + " of its written form", value(a, at), value(b, at));
    } else if (base == StateKind.SAME) {
      differs(section, "", "shared with another object", "shared with a third object");
    } else if (base == StateKind.BUFFER && at < LoopState.BUFFER_HEADER) {
      differs(section, "", bounds(a), bounds(b));
    } else {
      long start = base == StateKind.BUFFER ? LoopState.BUFFER_HEADER : 0;
      for (long e = (at - start) / base.elementBytes;
          start + e * base.elementBytes < a.byteSize();
          e++) {
        long offset = start + e * base.elementBytes;
        if (a.asSlice(offset, base.elementBytes).mismatch(b.asSlice(offset, base.elementBytes))
            >= 0) {
          differs(section, ", element " + e, base.element(a, offset), base.element(b, offset));
        }
      }
    }
  }

  /**
   * Whether two serialized objects are equal although their bytes differ: hash tables, for
   * instance, have another order after they were read.
   */
  private boolean areEqual(MemorySegment a, MemorySegment b) {
    StandIns standIns = state.standIns();
    Object one = ObjectCodec.read(a.toArray(ValueLayout.JAVA_BYTE), standIns);
    Object other = ObjectCodec.read(b.toArray(ValueLayout.JAVA_BYTE), standIns);
    return one.equals(other)
        || Arrays.equals(ObjectCodec.write(one, standIns), ObjectCodec.write(other, standIns));
  }

  private void differs(int section, String where, String one, String other) {
    found++;
    if (listed.size() < MAX_LISTED) {
      listed.add(
          state.describe(section) + where + ": " + one + " " + first + ", " + other + " " + second);
    }
  }

  private static String value(MemorySegment memory, long at) {
    return at < memory.byteSize() ? StateKind.BYTES.element(memory, at) : "none";
  }

  private static String bounds(MemorySegment buffer) {
    return "position "
        + buffer.get(FrameLayout.LONG, 0)
        + " and limit "
        + buffer.get(FrameLayout.LONG, Long.BYTES);
  }

  private static String describe(long kind, MemorySegment data) {
    StateKind base = StateKind.of(kind);
    if (base == StateKind.SAME) {
      return "shared with another object";
    }
    long size =
        StateKind.isNested(kind)
            ? data.get(FrameLayout.LONG, 0)
            : data.byteSize() / base.elementBytes;
    return StateKind.name(kind) + " of size " + size;
  }
}
