package org.fmi.core.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Reads parts of an image. */
@FunctionalInterface
public interface ImageSource {
  /** Fills a segment with the bytes from offset {@code at} of the image. */
  void read(long at, MemorySegment into) throws IOException;
}
