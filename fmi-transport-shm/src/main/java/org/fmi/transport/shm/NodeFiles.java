package org.fmi.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.node.FreeMemory;
import org.fmi.node.PrivateFile;
import org.fmi.node.Refusal;

/**
 * Makes, maps and deletes one rank's {@link PrivateFile}s in the node's directory.
 *
 * <pre>
 *   shm-RANK.INCARNATION-EPOCH       the rank's {@link Inbox}; deleted by its owner once all its mappings are gone
 *   shm-RANK.INCARNATION-EPOCH-TO    its ring to rank TO; deleted by TO as soon as it has mapped it
 *   shm-RANK.INCARNATION-EPOCH-cKEY  memory for collectives; deleted by its owner when all have mapped it
 * </pre>
 *
 * What processes that were killed have left goes when their replacement opens its transport, or
 * with the directory.
 */
final class NodeFiles {
  private static final Pattern NAME =
      Pattern.compile("shm-(\\d+)\\.(\\d+)-(\\d+)(?:-(\\d+)|-c\\d+)?");
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Half of it, of 60 random bits, tells machines apart: all ranks know it of each. */
  private static final int BOOT_ID_LENGTH = "01234567-0123-4567".length();

  private final Path directory;
  private final Arena arena;
  private final PrivateFile.Room room;

  /**
   * @param arena where mappings live
   * @param room asked before each file is made
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

  /** The same for two processes if, and only if, files made by one are found by the other. */
  String node() throws IOException {
    Object key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
    return Files.readString(BOOT_ID).substring(0, BOOT_ID_LENGTH) + key;
  }

  /** Deletes what earlier processes of this rank have left, and rings to it of earlier epochs. */
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

  /** Whether ranks of this node have not left the epochs before yet: they hold memory of these. */
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
   * Makes a file of zeros and maps it.
   *
   * @throws IOException if it exists, or there is no room
   */
  MemorySegment create(String name, long bytes) throws IOException {
    return create(name, bytes, arena);
  }

  /** The same, to live as long as an arena of its own. */
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

  /** The same, to live as long as an arena of its own. */
  MemorySegment open(String name, Arena own) throws IOException {
    return unchecked(PrivateFile.open(directory.resolve(name), own));
  }

  void delete(String name) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
  }

  /** Why a file could not be made, opened or deleted. */
  static FmiException failed(IOException e) {
    return new FmiException(ErrorClass.SYSTEM, "shm: " + Refusal.text(e));
  }

  /** Valid as long as the arena is open, but does not check that at each access, which costs. */
  @SuppressWarnings("restricted") // no other segment can do without the check
  static MemorySegment unchecked(MemorySegment mapped) {
    return MemorySegment.ofAddress(mapped.address()).reinterpret(mapped.byteSize());
  }
}
