package org.fmi.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import org.fmi.testkit.support.DescriptorLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Any process of the machine may ring. */
@Timeout(60)
class BellTest {
  private static final long LONG = Duration.ofMinutes(10).toNanos();

  @Test
  void manyRingsAreTakenSomeAtATimeAndWakeAsLongAsThereAreAny() throws Exception {
    try (Bell bell = new Bell();
        DatagramSocket stranger = new DatagramSocket()) {
      DatagramPacket ring =
          new DatagramPacket(new byte[1], 1, InetAddress.getLoopbackAddress(), bell.port());
      for (int i = 0; i < 2 * Bell.MOST_RINGS + 1; i++) {
        stranger.send(ring);
      }
      for (int waits = 0; waits < 3; waits++) {
        bell.await(LONG);
      }
      long begin = System.nanoTime();
      bell.await(Duration.ofMillis(50).toNanos());
      assertThat(System.nanoTime() - begin)
          .as("none is left")
          .isGreaterThanOrEqualTo(Duration.ofMillis(40).toNanos());
    }
  }

  @Test
  void withTooFewFileDescriptorsItIsRefusedAndLeavesNothing() throws Exception {
    new Bell().close(); // loads everything that is needed then
    int before = descriptors();
    assertThat(DescriptorLimit.refusals(UncheckedIOException.class, () -> new Bell().close()))
        .isNotEmpty();
    assertThat(descriptors()).isEqualTo(before);
  }

  private static int descriptors() {
    return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
  }
}
