package org.fmi.runtime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.ImageContent;
import org.fmi.spi.UnrecoverableException;
import org.jspecify.annotations.Nullable;

/**
 * Stores checkpoints in the heap of this process, whose end they do not survive.
 *
 * <p>It does not pass {@code CheckpointStoreContract} as a whole. That is about groups of ranks,
 * about node memory that outlives a process or is full, and about images read from files; a job of
 * one rank has none of these. {@code HeapStoreTest} covers the rest of the contract.
 */
final class HeapStore implements CheckpointStore {
  private final Map<CheckpointId, MemorySegment> complete = new HashMap<>();
  private @Nullable MemorySegment writing;

  /** The image released last, for reuse, as a loop's checkpoints have the same size. */
  private @Nullable MemorySegment spare;

  @Override
  public List<CheckpointId> held() {
    return complete.keySet().stream()
        .sorted(Comparator.comparingLong(CheckpointId::version))
        .toList();
  }

  @Override
  public MemorySegment begin(CheckpointId id, long bytes) throws IOException {
    if (complete.containsKey(id)) {
      throw new IllegalStateException(id + " is complete");
    }
    MemorySegment image = spare;
    spare = null;
    if (image == null || image.byteSize() != bytes) {
      image = allocate(bytes);
    }
    writing = image;
    return image;
  }

  /** There is no code. */
  @Override
  public long codedBytes() {
    return 0;
  }

  @Override
  public void fill(CheckpointId id, long bytes, ImageContent.Source source) {
    throw new IllegalStateException("a job of one process does not begin from files");
  }

  private static MemorySegment allocate(long bytes) throws IOException {
    long words = (bytes + Long.BYTES - 1) / Long.BYTES;
    if (words > Integer.MAX_VALUE - 8) {
      throw new IOException(
          bytes + " bytes do not fit into an array: start the program with 'fmirun -n 1'");
    }
    return MemorySegment.ofArray(new long[(int) words]).asSlice(0, bytes);
  }

  private MemorySegment writing() {
    MemorySegment image = writing;
    if (image == null) {
      throw new IllegalStateException("no checkpoint is being written");
    }
    return image;
  }

  @Override
  public void protect(CheckpointId id) {
    complete.put(id, writing());
    writing = null;
  }

  @Override
  public Protection protecting(CheckpointId id) {
    protect(id);
    return new Protection() {
      @Override
      public boolean advance() {
        return false;
      }

      @Override
      public boolean isComplete() {
        return true;
      }
    };
  }

  @Override
  public MemorySegment resize(CheckpointId id, long bytes) throws IOException {
    MemorySegment image = writing();
    MemorySegment resized = allocate(bytes);
    long kept = Math.min(bytes, image.byteSize());
    MemorySegment.copy(image, 0, resized, 0, kept);
    writing = resized;
    return resized;
  }

  @Override
  public void reopen(CheckpointId id) {
    writing = Objects.requireNonNull(complete.remove(id));
  }

  @Override
  public void release(CheckpointId id) {
    MemorySegment image = complete.remove(id);
    if (image != null) {
      spare = image;
    }
  }

  @Override
  public MemorySegment image(CheckpointId id) {
    return Objects.requireNonNull(complete.get(id)).asReadOnly();
  }

  @Override
  public boolean intact(CheckpointId id) {
    return complete.containsKey(id);
  }

  @Override
  public void rebuild(CheckpointId id, int[] lost) throws UnrecoverableException {
    if (lost.length > 0) {
      throw new UnrecoverableException(
          "checkpoint %d (loop %d, iteration %d): no other rank holds it"
              .formatted(id.version(), id.loop(), id.iteration()));
    }
  }

  @Override
  public int tolerance() {
    return 0;
  }

  /** Zero, as heap memory is counted elsewhere. */
  @Override
  public long memoryBytes() {
    return 0;
  }

  @Override
  public long forecastBytes() {
    return 0;
  }

  @Override
  public void close() {
    complete.clear();
    spare = null;
  }
}
