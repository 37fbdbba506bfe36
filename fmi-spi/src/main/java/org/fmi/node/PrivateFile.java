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
 * Makes and maps files in memory ({@code /dev/shm}) that their owner alone may read and write, with
 * pages behind every byte before anybody maps them: a full file system fails when the file is made,
 * not with a SIGBUS at some later store.
 *
 * <p>Works for interrupted threads too, which stay interrupted: Java would close the file under
 * their hands.
 */
public final class PrivateFile {
  /** Fits the second-level cache of any processor. */
  private static final int BLOCK_BYTES = 64 << 10;

  /** As large as the blocks that images are made of: fits that of most. */
  private static final int CONTENT_BYTES = 256 << 10;

  /** How many bytes are written before room is asked for again. */
  private static final long ROOM_BYTES = 64 << 20;

  private PrivateFile() {}

  /** Says whether there is room. */
  public interface Room {
    /**
     * @throws IOException if there is none for {@code bytes} more
     */
    void require(long bytes) throws IOException;
  }

  /**
   * {@link #create(Path, long, Arena, Room)} of a small file, that the file system has room for.
   */
  public static MemorySegment create(Path file, long bytes, Arena arena) throws IOException {
    return create(file, bytes, arena, left -> {});
  }

  /**
   * Makes a file of zeros and maps it.
   *
   * <p>Sets memory aside by writing: posix_fallocate is a third faster, but to call it costs a
   * starting process 60 ms and more.
   *
   * @param room asked before the first byte and all along, for others may be writing too
   * @throws IOException if it exists, or there is no room; then no file is left
   */
  public static MemorySegment create(Path file, long bytes, Arena arena, Room room)
      throws IOException {
    return undisturbed(() -> createOnce(file, bytes, arena, room, BLOCK_BYTES, Filler.NONE));
  }

  /**
   * {@link #create(Path, long, Arena, Room)} of a file with content: that is what is written to set
   * memory aside.
   *
   * @throws IOException that of the filler too
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
   * @throws java.nio.file.NoSuchFileException if there is none of this name
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

  /** Something that leaves nothing behind when it throws. */
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
