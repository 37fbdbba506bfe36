package org.fmi.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import org.fmi.spi.NodeMemory.Filler;

/**
 * Creates and maps files in memory ({@code /dev/shm}) that only their owner can read and write.
 * Every byte has its page before the file is mapped: a full file system fails the creation, and
 * does not raise SIGBUS at a later store.
 *
 * <p>Works for interrupted threads too, which stay interrupted. Java would otherwise close the file
 * while it is in use.
 */
public final class PrivateFile {
  /** Fits the L2 cache of any processor. */
  private static final int BLOCK_BYTES = 64 << 10;

  /** The block size of images; fits the L2 cache of most processors. */
  private static final int CONTENT_BYTES = 256 << 10;

  /** Bytes written between two checks for room. */
  private static final long ROOM_BYTES = 64 << 20;

  private PrivateFile() {}

  /** Checks for room. */
  public interface Room {
    /**
     * @throws IOException if there is no room for {@code bytes} more
     */
    void require(long bytes) throws IOException;
  }

  /** {@link #create(Path, long, Arena, Room)} of a small file, without a check for room. */
  public static MemorySegment create(Path file, long bytes, Arena arena) throws IOException {
    return create(file, bytes, arena, left -> {});
  }

  /**
   * Creates a file of zeros and maps it.
   *
   * <p>Allocates memory by writing. posix_fallocate is a third faster, but calling it costs a
   * starting process 60 ms and more.
   *
   * @param room checked before the first byte and repeatedly after it, as other processes may write
   *     too
   * @throws IOException if the file exists, or there is no room; then no file is left
   */
  public static MemorySegment create(Path file, long bytes, Arena arena, Room room)
      throws IOException {
    return undisturbed(() -> createOnce(file, bytes, arena, room, BLOCK_BYTES, Filler.NONE));
  }

  /**
   * {@link #create(Path, long, Arena, Room)} of a file with content, which is written to allocate
   * the memory.
   *
   * @throws IOException also if the filler throws it
   */
  static MemorySegment create(Path file, long bytes, Arena arena, Room room, Filler filler)
      throws IOException {
    return undisturbed(() -> createOnce(file, bytes, arena, room, CONTENT_BYTES, filler));
  }

  private static MemorySegment createOnce(
      Path file, long bytes, Arena arena, Room room, int blockBytes, Filler filler)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            EnumSet.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      try {
        ByteBuffer block = ByteBuffer.allocateDirect(blockBytes);
        long required = bytes;
        room.require(bytes);
        for (long left = bytes; left > 0; ) {
          if (required - left >= ROOM_BYTES) {
            required = left;
            room.require(left);
          }
          filler.fill(bytes - left, block.clear().limit((int) Math.min(blockBytes, left)));
          for (block.flip(); block.hasRemaining(); ) {
            left -= channel.write(block);
          }
        }
        return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
      } catch (IOException | RuntimeException e) {
        Files.deleteIfExists(file);
        throw e;
      }
    }
  }

  /**
   * Maps a file.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   */
  public static MemorySegment open(Path file, Arena arena) throws IOException {
    return undisturbed(
        () -> {
          try (FileChannel channel =
              FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
          }
        });
  }

  /** An action that undoes its effects when it throws. */
  private interface Action {
    MemorySegment run() throws IOException;
  }

  private static MemorySegment undisturbed(Action action) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return action.run();
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
