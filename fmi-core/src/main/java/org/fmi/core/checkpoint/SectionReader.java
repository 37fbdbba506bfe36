package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.object.StandIns;
import org.fmi.core.state.LoopState;
import org.fmi.core.state.StateKind;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;

/** Creates objects from their sections in an image, without existing objects to read into. */
public final class SectionReader {
  private final ImageSource source;
  private final StandIns standIns;
  private long at;

  private SectionReader(ImageSource source, long at, StandIns standIns) {
    this.source = source;
    this.at = at;
    this.standIns = standIns;
  }

  /**
   * Creates the object whose sections begin at an offset of an image.
   *
   * @param standIns substitutes for objects that are not data
   * @throws IllegalStateException if it cannot be created, with the reason
   */
  public static Object read(ImageSource source, long at, StandIns standIns) throws IOException {
    return new SectionReader(source, at, standIns).next();
  }

  private Object next() throws IOException {
    MemorySegment header = bytes(at, LoopState.SECTION_HEADER);
    long kind = header.get(FrameLayout.LONG, 0);
    long count = header.get(FrameLayout.LONG, Long.BYTES);
    long data = at + LoopState.SECTION_HEADER;
    at += LoopState.sectionEnd(count);
    StateKind base = StateKind.of(kind);
    if (StateKind.isNested(kind) && base != StateKind.OBJECTS) {
      return rows(kind, bytes(data, Long.BYTES).get(FrameLayout.LONG, 0));
    }
    return switch (base) {
      case BYTES, BOOLEANS, CHARS, SHORTS, INTS, LONGS, FLOATS, DOUBLES -> {
        Object array = StateKind.newArray(kind, count / base.elementBytes);
        Memory.fromSegment(bytes(data, count), 0, array, 0, count);
        yield array;
      }
      case BUFFER -> buffer(bytes(data, count));
      case SEGMENT -> bytes(data, count);
      case SERIALIZED ->
          ObjectCodec.read(bytes(data, count).toArray(ValueLayout.JAVA_BYTE), standIns);
      case NONE, SELF_WRITING, SAME, OBJECTS, LAYOUT, NAME ->
          throw new IllegalStateException(
              "an object of kind " + base + " can only be read into an existing object");
    };
  }

  private Object[] rows(long kind, long length) throws IOException {
    Object[] rows = (Object[]) StateKind.newArray(kind, length);
    for (int i = 0; i < rows.length; i++) {
      rows[i] = next();
    }
    return rows;
  }

  private static ByteBuffer buffer(MemorySegment data) {
    MemorySegment content = data.asSlice(LoopState.BUFFER_HEADER);
    ByteBuffer buffer = content.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
    return buffer
        .limit((int) data.get(FrameLayout.LONG, Long.BYTES))
        .position((int) data.get(FrameLayout.LONG, 0));
  }

  private MemorySegment bytes(long from, long count) throws IOException {
    MemorySegment memory = Arena.ofAuto().allocate(count, Long.BYTES);
    source.read(from, memory);
    return memory;
  }
}
