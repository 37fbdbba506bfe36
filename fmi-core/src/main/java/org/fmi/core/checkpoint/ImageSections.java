package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.core.state.LoopState;
import org.fmi.core.state.StateKind;
import org.fmi.core.state.StateLayout;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/** Locates the objects of a loop's state in an image, without creating them. */
public final class ImageSections {
  /**
   * An object that the program has registered.
   *
   * @param name null if it has none
   * @param kind of its first section
   * @param layout its place among the objects of all ranks; null if it declares none
   * @param at offset of its sections in the image
   * @param end offset of their end
   * @param shares whether some of its content is in a section of another object
   */
  public record Entry(
      @Nullable String name,
      long kind,
      @Nullable StateLayout layout,
      long at,
      long end,
      boolean shares) {
    /** Offset of the data of its first section. */
    public long dataAt() {
      return at + LoopState.SECTION_HEADER;
    }
  }

  private final ImageSource source;
  private boolean shares;

  private ImageSections(ImageSource source) {
    this.source = source;
  }

  /** The objects between two offsets of an image, in the order registered. */
  public static List<Entry> of(ImageSource source, long at, long end) throws IOException {
    List<Entry> entries = new ArrayList<>();
    long from = at;
    while (from < end) {
      ImageSections sections = new ImageSections(source);
      StateLayout layout = null;
      long[] header = sections.longs(from, 2);
      String name = null;
      if (header[0] == StateKind.NAME.number) {
        name = sections.text(from + LoopState.SECTION_HEADER, (int) header[1]);
        from += LoopState.sectionEnd(header[1]);
        header = sections.longs(from, 2);
      }
      if (header[0] == StateKind.LAYOUT.number) {
        layout =
            new StateLayout(
                sections.longs(from + LoopState.SECTION_HEADER, (int) (header[1] / Long.BYTES)));
        from += LoopState.sectionEnd(header[1]);
        header = sections.longs(from, 2);
      }
      long next = sections.skip(from, header);
      entries.add(new Entry(name, header[0], layout, from, next, sections.shares));
      from = next;
    }
    return entries;
  }

  /** Skips a section and those of its rows; returns the offset of their end. */
  private long skip(long at, long[] header) throws IOException {
    long next = at + LoopState.sectionEnd(header[1]);
    shares |= header[0] == StateKind.SAME.number;
    if (StateKind.isNested(header[0])) {
      long rows = longs(at + LoopState.SECTION_HEADER, 1)[0];
      for (long row = 0; row < rows; row++) {
        next = skip(next, longs(next, 2));
      }
    }
    return next;
  }

  private String text(long at, int bytes) throws IOException {
    byte[] text = new byte[bytes];
    source.read(at, MemorySegment.ofArray(text));
    return new String(text, StandardCharsets.UTF_8);
  }

  private long[] longs(long at, int count) throws IOException {
    MemorySegment memory = MemorySegment.ofArray(new long[count]);
    source.read(at, memory);
    long[] values = new long[count];
    Arrays.setAll(values, i -> memory.get(FrameLayout.LONG, (long) i * Long.BYTES));
    return values;
  }
}
