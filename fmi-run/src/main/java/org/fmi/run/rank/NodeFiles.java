package org.fmi.run.rank;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.fmi.core.spi.NodeMemory;

/** The node's memory as files of mode 0600 in its daemon's directory. */
final class NodeFiles implements NodeMemory {
  private static final String UNFINISHED = ".new-";
  private static final int CHUNK = 1 << 20;
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path directory;

  NodeFiles(Path directory) {
    this.directory = directory;
  }

  @Override
  public List<String> list(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(prefix) && !name.startsWith(UNFINISHED))
          .sorted()
          .toList();
    }
  }

  @Override
  public MemorySegment create(String name, long bytes, Arena arena) throws IOException {
    Path file = file(name);
    // Under another name until it is whole: nobody ever opens half of a piece.
    Path unfinished = file(UNFINISHED + name);
    Files.deleteIfExists(unfinished);
    long free = Files.getFileStore(directory).getUsableSpace();
    if (bytes > free) {
      throw notEnough(name, bytes, free);
    }
    try (FileChannel channel =
        FileChannel.open(
            unfinished,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            OWNER_ONLY)) {
      try {
        setAside(channel, bytes);
      } catch (IOException e) {
        Files.delete(unfinished);
        IOException failure =
            notEnough(name, bytes, Files.getFileStore(directory).getUsableSpace());
        failure.addSuppressed(e);
        throw failure;
      }
      MemorySegment segment = channel.map(MapMode.READ_WRITE, 0, bytes, arena);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      return segment;
    }
  }

  /**
   * Writes every page. A file that is only long would kill the process with SIGBUS when the memory
   * turns out to be missing.
   */
  private static void setAside(FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, CHUNK));
    for (long at = 0; at < bytes; ) {
      zeros.clear().limit((int) Math.min(bytes - at, CHUNK));
      at += channel.write(zeros, at);
    }
  }

  private IOException notEnough(String name, long bytes, long free) {
    return new IOException(
        "not enough memory for checkpoints: "
            + name
            + " needs "
            + mib(bytes)
            + " MiB in "
            + directory.getParent()
            + ", "
            + mib(free)
            + " MiB are free; use fewer ranks per node, less state, or enlarge it (mount -o"
            + " remount,size=...)");
  }

  private static long mib(long bytes) {
    return Math.ceilDiv(bytes, 1 << 20);
  }

  @Override
  public MemorySegment open(String name, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file(name), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(file(name));
  }

  private Path file(String name) {
    if (name.isEmpty() || name.contains("/")) {
      throw new IllegalArgumentException("no name of a piece of memory: '" + name + "'");
    }
    return directory.resolve(name);
  }
}
