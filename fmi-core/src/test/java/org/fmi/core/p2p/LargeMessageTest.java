package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.fmi.Status;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A message longer than an int can say. */
class LargeMessageTest {
  private static final long BYTES = (1L << 31) + 1_000;
  private static final long[] MARKS = {0, 1 << 20, (1L << 31) - 1, 1L << 31, BYTES - 1};

  @TempDir Path directory;

  @Test
  void aMessageOverTwoGibibytes() {
    long free =
        ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getFreeMemorySize();
    assumeTrue(free > 2 * BYTES, () -> "too little free memory: " + free);
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
