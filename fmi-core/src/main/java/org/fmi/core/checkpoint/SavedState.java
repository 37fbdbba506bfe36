package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.core.checkpoint.ImageSections.Entry;
import org.fmi.core.state.LoopState;
import org.fmi.core.state.StateKind;
import org.fmi.core.state.StateLayout;
import org.fmi.wire.FrameLayout;

/** A loop's state in the image of a checkpoint, for readers outside of a job. */
public final class SavedState {
  /**
   * An array of one or more dimensions; a buffer or segment is an array of bytes.
   *
   * @param element type of its elements
   * @param shape its size in each dimension; the last index varies fastest
   * @param parts the parts of its content in the image, in order
   */
  public record Content(Class<?> element, long[] shape, List<Part> parts) {
    public Content {
      parts = List.copyOf(parts);
    }
  }

  /** A part of an image. */
  public record Part(long at, long bytes) {}

  private final ImageSource source;
  private final List<Entry> entries;

  private SavedState(ImageSource source, List<Entry> entries) {
    this.source = source;
    this.entries = entries;
  }

  /**
   * Opens the state in an image.
   *
   * @param size the number of ranks of its job
   * @throws IllegalStateException if it is not an image of such a job
   */
  public static SavedState of(int size, ImageSource source) throws IOException {
    MemorySegment header = MemorySegment.ofArray(new long[(int) Image.HEADER / Long.BYTES]);
    source.read(0, header);
    Image image = new Image(header);
    image.check(size);
    return new SavedState(source, ImageSections.of(source, image.stateAt(), image.stateEnd()));
  }

  /** The number of objects that the program has registered. */
  public int objects() {
    return entries.size();
  }

  /**
   * The array that an object is.
   *
   * @throws IllegalArgumentException if it is not an array; the message describes it
   */
  public Content content(int object) throws IOException {
    Entry entry = entries.get(object);
    List<Part> parts = new ArrayList<>();
    List<Long> shape = new ArrayList<>();
    walk(entry.at(), shape, 0, parts);
    StateLayout layout = entry.layout();
    long[] dimensions =
        layout != null && layout.isBlock()
            ? layout.localShape()
            : shape.stream().mapToLong(Long::longValue).toArray();
    StateKind kind = StateKind.of(entry.kind());
    return new Content(kind.element == void.class ? byte.class : kind.element, dimensions, parts);
  }

  /** Collects the content of a section and its rows; returns the offset of their end. */
  private long walk(long at, List<Long> shape, int dimension, List<Part> parts) throws IOException {
    long[] header = longs(at, 2);
    long data = at + LoopState.SECTION_HEADER;
    long next = at + LoopState.sectionEnd(header[1]);
    if (StateKind.isNested(header[0]) && StateKind.of(header[0]) != StateKind.OBJECTS) {
      long rows = longs(data, 1)[0];
      note(shape, dimension, rows);
      for (long row = 0; row < rows; row++) {
        next = walk(next, shape, dimension + 1, parts);
      }
      return next;
    }
    Part part =
        switch (StateKind.of(header[0])) {
          case BUFFER ->
              new Part(data + LoopState.BUFFER_HEADER, header[1] - LoopState.BUFFER_HEADER);
          case SELF_WRITING, SERIALIZED, OBJECTS ->
              throw new IllegalArgumentException(
                  "is an object of the program's classes, not an array");
          case SAME ->
              throw new IllegalArgumentException(
                  "is, or refers to, the same array as another object");
          case NONE, LAYOUT, NAME ->
              throw new IllegalStateException("a section of kind " + header[0]);
          case SEGMENT, BYTES, BOOLEANS, CHARS, SHORTS, INTS, LONGS, FLOATS, DOUBLES ->
              new Part(data, header[1]);
        };
    note(shape, dimension, part.bytes / StateKind.of(header[0]).elementBytes);
    parts.add(part);
    return next;
  }

  private static void note(List<Long> shape, int dimension, long length) {
    if (shape.size() == dimension) {
      shape.add(length);
    } else if (shape.get(dimension) != length) {
      throw new IllegalArgumentException("has rows of different lengths");
    }
  }

  private long[] longs(long at, int count) throws IOException {
    MemorySegment memory = MemorySegment.ofArray(new long[count]);
    source.read(at, memory);
    long[] values = new long[count];
    Arrays.setAll(values, i -> memory.get(FrameLayout.LONG, (long) i * Long.BYTES));
    return values;
  }
}
