package org.fmi.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.node.FreeMemory;
import org.fmi.node.PrivateFile;

/**
 * Creates, maps and deletes one rank's {@link PrivateFile}s in the node's directory.
 *
 * <pre>
 *   shm-RANK.INCARNATION-EPOCH       the rank's {@link Inbox}; deleted by its owner once all its mappings are gone
 *   shm-RANK.INCARNATION-EPOCH-TO    its ring to rank TO; deleted by TO as soon as it has mapped it
 *   shm-RANK.INCARNATION-EPOCH-cKEY  memory for collectives; deleted by its owner when all have mapped it
 * </pre>
 *
 * Files left by killed processes are deleted when their replacement opens its transport, or with
 * the directory.
 */
final class NodeFiles {
  private static final Pattern NAME =
      Pattern.compile("shm-(\\d+)\\.(\\d+)-(\\d+)(?:-(\\d+)|-c\\d+)?");
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /**
   * The length used of the boot id: 60 random bits, half of it, distinguish machines, and all ranks
   * store it for each rank.
   */
  private static final int BOOT_ID_LENGTH = "01234567-0123-4567".length();

  private final Path directory;
  private final Arena arena;
  private final PrivateFile.Room room;

  /**
   * @param arena owns the mappings
   * @param room checked before each file is created
   */
  NodeFiles(Path directory, Arena arena, PrivateFile.Room room) {
    this.directory = directory;
    this.arena = arena;
    this.room = room;
  }

  static String inboxName(int rank, int incarnation, int epoch) {
    return "shm-" + rank + "." + incarnation + "-" + epoch;
  }

  static String ringName(String inboxOfSender, int receiver) {
    return inboxOfSender + "-" + receiver;
  }

  static String sharedName(String inboxOfOwner, int key) {
    return inboxOfOwner + "-c" + key;
  }

  /** An identifier of the node: equal for two processes if, and only if, they share files. */
  String node() throws IOException {
    Object key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
    return Files.readString(BOOT_ID).substring(0, BOOT_ID_LENGTH) + key;
  }

  /** Deletes files of earlier processes of this rank, and rings to it of earlier epochs. */
  void sweep(int rank, int incarnation, int epoch) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "shm-*")) {
      for (Path file : files) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        if (name.matches()) {
          String to = name.group(4);
          boolean mine =
              Integer.parseInt(name.group(1)) == rank
                  && Integer.parseInt(name.group(2)) < incarnation;
          boolean toMe =
              to != null && Integer.parseInt(to) == rank && Integer.parseInt(name.group(3)) < epoch;
          if (mine || toMe) {
            Files.deleteIfExists(file);
          }
        }
      }
    }
  }

  /** Whether ranks of this node have not left earlier epochs yet, and so hold their memory. */
  boolean earlier(int epoch) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "shm-*")) {
      for (Path file : files) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        boolean inbox = name.matches() && name.end() == name.end(3);
        if (inbox && Integer.parseInt(name.group(3)) < epoch) {
          return true;
        }
      }
    }
    return false;
  }

  long freeBytes() throws IOException {
    return FreeMemory.bytes(directory);
  }

  /**
   * Creates a file of zeros and maps it.
   *
   * @throws IOException if the file exists, or there is no room
   */
  MemorySegment create(String name, long bytes) throws IOException {
    return create(name, bytes, arena);
  }

  /** Creates and maps a file in this arena. */
  MemorySegment create(String name, long bytes, Arena own) throws IOException {
    return unchecked(PrivateFile.create(directory.resolve(name), bytes, own, room));
  }

  /**
   * Maps a file.
   *
   * @throws java.nio.file.NoSuchFileException if its owner has deleted it
   */
  MemorySegment open(String name) throws IOException {
    return open(name, arena);
  }

  /** Maps a file in this arena. */
  MemorySegment open(String name, Arena own) throws IOException {
    return unchecked(PrivateFile.open(directory.resolve(name), own));
  }

  void delete(String name) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
  }

  /** The error of a file that could not be created, opened or deleted. */
  static UncheckedIOException failed(IOException e) {
    return new UncheckedIOException("shm", e);
  }

  /**
   * The same memory without the scope check at each access, which costs time; valid while the arena
   * is open.
   */
  @SuppressWarnings("restricted") // no other segment avoids the check
  static MemorySegment unchecked(MemorySegment mapped) {
    return MemorySegment.ofAddress(mapped.address()).reinterpret(mapped.byteSize());
  }
}
