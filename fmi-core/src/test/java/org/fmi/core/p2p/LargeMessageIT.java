package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.fmi.Status;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message longer than an int can express; takes 4 GiB of memory. */
@Wide
class LargeMessageIT {
  private static final long BYTES = (1L << 31) + 1_000;
  private static final long[] MARKS = {0, 1 << 20, (1L << 31) - 1, 1L << 31, BYTES - 1};

  @TempDir Path directory;

  @Test
  void aMessageOverTwoGibibytes() throws IOException {
    long available = availableMemory();
    assumeTrue(available > 2 * BYTES, () -> "too little memory: " + available);
    Ranks.run(
        2,
        1,
        new Options(1 << 20, 4 << 10, 4, 0, 0),
        m -> {
          try (Arena arena = Arena.ofConfined()) {
            if (m.rank() == 0) {
              MemorySegment sparse = sparse(arena);
              for (long mark : MARKS) {
                sparse.set(ValueLayout.JAVA_BYTE, mark, (byte) 42);
              }
              m.send(sparse, 0, BYTES, 1, 0, 1, Mode.STANDARD);
            } else {
              MemorySegment to = arena.allocate(BYTES);
              assertThat(m.recv(to, 0, BYTES, 0, 0, 1)).isEqualTo(new Status(0, 1, BYTES));
              for (long mark : MARKS) {
                assertThat(to.get(ValueLayout.JAVA_BYTE, mark)).isEqualTo((byte) 42);
              }
            }
          }
        });
  }

  /** Includes the system's cache of files, which it frees on demand. */
  private static long availableMemory() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .sum();
    }
  }

  private MemorySegment sparse(Arena arena) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            directory.resolve("sparse"),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      return file.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, arena);
    }
  }
}
