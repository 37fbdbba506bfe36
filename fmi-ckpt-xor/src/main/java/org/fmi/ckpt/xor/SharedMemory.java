package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.fmi.core.spi.NodeMemory;

/**
 * Node memory as files of a directory in shared memory ({@code /dev/shm}), readable and writable by
 * their owner only.
 */
public final class SharedMemory implements NodeMemory {
  private static final int MIB_SHIFT = 20;

  /** Fits the second-level cache of any processor. */
  private static final int CHUNK = 64 << 10;

  private final Path directory;

  /**
   * @param directory exists, and belongs to the job
   */
  public SharedMemory(Path directory) {
    this.directory = directory;
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
    if (bytes <= 0) {
      throw new IllegalArgumentException("a piece of " + bytes + " bytes");
    }
    Path file = file(name);
    Files.deleteIfExists(file);
    // Linux would kill a process rather than refuse memory that the tmpfs has and the node has not.
    if (bytes > freeBytes()) {
      throw notEnough(bytes);
    }
    try (FileChannel channel =
        FileChannel.open(
            file,
            EnumSet.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      setAside(channel, bytes);
      return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(file);
      throw e;
    }
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
    if (name.isEmpty() || name.startsWith(".") || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException("not a name for a piece: " + name);
    }
    return directory.resolve(name);
  }

  /**
   * Gives a file its size, with pages behind all of it: a full tmpfs fails here, not with a SIGBUS
   * at some later store. By writing: posix_fallocate is a third faster, but to call it costs a
   * starting process 60 ms and more.
   */
  private void setAside(FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK);
    try {
      for (long left = bytes; left > 0; ) {
        left -= channel.write(zeros.clear().limit((int) Math.min(CHUNK, left)));
      }
    } catch (IOException e) {
      throw new IOException(notEnough(bytes).getMessage() + " (" + e + ")", e);
    }
  }

  private IOException notEnough(long bytes) throws IOException {
    return new IOException(
        "a checkpoint needs %d MiB in %s, %d MiB are free; fewer ranks a node, a smaller state, or more memory there would help"
            .formatted(Math.ceilDiv(bytes, 1L << MIB_SHIFT), directory, freeBytes() >> MIB_SHIFT));
  }

  /** What both the file system and the node can still give. */
  private long freeBytes() throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      if (line.startsWith("MemAvailable:")) {
        String kibibytes = line.replaceAll("[^0-9]", "");
        return Math.min(free, Long.parseLong(kibibytes) << 10);
      }
    }
    return free;
  }
}
