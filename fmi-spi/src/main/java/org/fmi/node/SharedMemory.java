package org.fmi.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.UnreadableException;

/**
 * Node memory as files of a directory in shared memory ({@code /dev/shm}), readable and writable by
 * their owner only.
 */
public final class SharedMemory implements NodeMemory {
  private static final int MIB_SHIFT = 20;
  private static final int LOOK_MILLIS = 10;

  /**
   * The longest time for which a dead node on the same machine may hold its memory: its processes
   * have to unmap it first.
   */
  private static final int PATIENCE_MILLIS = 5_000;

  private final Path directory;
  private final FreeBytes free;
  private final int patienceMillis;

  /** Whether the last piece has found room: only then the next one waits for it. */
  private volatile boolean roomy = true;

  /** Measures free memory. */
  interface FreeBytes {
    long of(Path directory) throws IOException;
  }

  /**
   * @param directory exists, and belongs to the job
   */
  public SharedMemory(Path directory) {
    this(directory, FreeMemory::bytes, PATIENCE_MILLIS);
  }

  SharedMemory(Path directory, FreeBytes free, int patienceMillis) {
    this.directory = directory;
    this.free = free;
    this.patienceMillis = patienceMillis;
  }

  @Override
  public List<String> list(String prefix) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        if (name.startsWith(prefix)) {
          names.add(name);
        }
      }
    }
    names.sort(null);
    return names;
  }

  @Override
  public MemorySegment create(String name, long bytes, Arena arena) throws IOException {
    Path file = unused(name, bytes);
    try {
      MemorySegment piece = PrivateFile.create(file, bytes, arena, this::require);
      // All of it will be written to. Pages that are read first are mapped sixteen at a time.
      piece.load();
      roomy = true;
      return piece;
    } catch (IOException e) {
      throw refused(bytes, e);
    }
  }

  @Override
  public MemorySegment create(String name, long bytes, Arena arena, Filler filler)
      throws IOException {
    Path file = unused(name, bytes);
    try {
      MemorySegment piece = PrivateFile.create(file, bytes, arena, this::require, filler);
      roomy = true;
      return piece;
    } catch (UnreadableException e) {
      throw e;
    } catch (IOException e) {
      throw refused(bytes, e);
    }
  }

  private Path unused(String name, long bytes) throws IOException {
    if (bytes <= 0) {
      throw new IllegalArgumentException("a piece of " + bytes + " bytes");
    }
    Path file = file(name);
    Files.deleteIfExists(file);
    return file;
  }

  @Override
  public MemorySegment open(String name, Arena arena) throws IOException {
    return PrivateFile.open(file(name), arena);
  }

  @Override
  public boolean link(String name, String another) throws IOException {
    Files.createLink(file(another), file(name));
    return true;
  }

  @Override
  public boolean isLinked(String name) throws IOException {
    return (int) Files.getAttribute(file(name), "unix:nlink") > 1;
  }

  @Override
  public long free() throws IOException {
    return FreeMemory.ofProcesses();
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(file(name));
  }

  private Path file(String name) {
    if (name.isEmpty() || name.startsWith(".") || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException("not a name for a piece: " + name);
    }
    return directory.resolve(name);
  }

  /**
   * Waits for room. Linux would kill a process rather than refuse memory that the tmpfs has and the
   * node lacks. All ranks of the node write at the same time: each sees here what the other ranks
   * have taken.
   */
  private void require(long bytes) throws IOException {
    long begin = System.nanoTime();
    while (bytes > free.of(directory)) {
      if (!roomy || System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(patienceMillis)) {
        roomy = false;
        throw new NoRoomException("no room for the last " + mebibytes(bytes) + " MiB", null);
      }
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ClosedByInterruptException();
      }
    }
  }

  private static long mebibytes(long bytes) {
    return Math.ceilDiv(bytes, 1L << MIB_SHIFT);
  }

  private IOException refused(long bytes, IOException cause) throws IOException {
    boolean room = cause instanceof NoRoomException || Refusal.isOfRoom(cause);
    if (!room || Refusal.isOfLimit(cause)) {
      String what =
          "a checkpoint needs a file of %d MiB in %s: %s"
              .formatted(mebibytes(bytes), directory, Refusal.text(cause));
      return room ? new NoRoomException(what, cause) : new IOException(what, cause);
    }
    return new NoRoomException(
        "a checkpoint needs %d MiB in %s, but %d MiB are free; use fewer ranks per node, a smaller state, or more memory there (%s)"
            .formatted(mebibytes(bytes), directory, free.of(directory) >> MIB_SHIFT, cause),
        cause);
  }
}
