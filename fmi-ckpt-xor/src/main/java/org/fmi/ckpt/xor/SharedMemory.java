package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.fmi.core.spi.NodeMemory;

/**
 * Node memory as files of a directory in shared memory ({@code /dev/shm}), readable and writable by
 * their owner only.
 */
public final class SharedMemory implements NodeMemory {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int EINTR = 4;
  private static final int ENOSPC = 28;
  private static final int MIB_SHIFT = 20;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle OPEN =
      function(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          Linker.Option.firstVariadicArg(2),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle POSIX_FALLOCATE =
      function(
          "posix_fallocate",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private final Path directory;

  /**
   * @param directory exists, and belongs to the job
   */
  public SharedMemory(Path directory) {
    this.directory = directory;
  }

  @SuppressWarnings("restricted") // posix_fallocate has no counterpart in the JDK
  private static MethodHandle function(
      String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), type, options);
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
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      setAside(file, bytes);
      return map(file, arena);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  @Override
  public MemorySegment open(String name, Arena arena) throws IOException {
    return map(file(name), arena);
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

  private static MemorySegment map(Path file, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
    }
  }

  /**
   * Gives a file its size, with pages behind all of it: a full tmpfs fails here, not with a SIGBUS
   * at some later store.
   */
  private void setAside(Path file, long bytes) throws IOException {
    int error;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      MemorySegment path = arena.allocateFrom(file.toString());
      int descriptor = (int) OPEN.invokeExact(state, path, O_RDWR | O_CLOEXEC);
      if (descriptor < 0) {
        throw new IOException("cannot open " + file + ": errno " + (int) ERRNO.get(state, 0L));
      }
      do {
        error = (int) POSIX_FALLOCATE.invokeExact(descriptor, 0L, bytes);
      } while (error == EINTR);
      if ((int) CLOSE.invokeExact(descriptor) != 0) {
        throw new IOException("cannot close " + file);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a native function throws nothing", e);
    }
    if (error == ENOSPC) {
      throw notEnough(bytes);
    }
    if (error != 0) {
      throw new IOException(
          "cannot set aside %d bytes for %s: errno %d".formatted(bytes, file, error));
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
