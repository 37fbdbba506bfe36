package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.fmi.net.Endpoint;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.support.AcceptQueue;
import org.fmi.testkit.support.DescriptorLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time that a neighbour's system has for a connection, and its process for a proof. */
@Timeout(60)
class TcpLinksTest {
  private static final int HEARTBEAT_MILLIS = 600;

  private final JobSettings job = RankConfigs.job(2).heartbeatMillis(HEARTBEAT_MILLIS).build();
  private final RankConfig config = RankConfigs.rank(0, job).host("127.0.0.1").build();
  private final CompletableFuture<String> closed = new CompletableFuture<>();

  private final RingLinks.Handler handler =
      new RingLinks.Handler() {
        @Override
        public void onOpen(int peer) {
          closed.completeExceptionally(new AssertionError("open to " + peer));
        }

        @Override
        public boolean onFrame(int peer, ByteBuffer frame) {
          return true;
        }

        @Override
        public void onClosed(int peer, String reason) {
          closed.complete(reason);
        }

        @Override
        public void onBroken(String reason) {
          closed.completeExceptionally(new AssertionError(reason));
        }
      };

  private TcpLinks open() throws IOException {
    return TcpLinks.beating(Diagnostics.NONE).open(config, 7, Set.of(1), handler);
  }

  /** Connects to a port; returns the reason for which this has failed. */
  private String failure(int port) throws Exception {
    TcpLinks links = open();
    try {
      links.connect(1, new Endpoint("127.0.0.1", port).bytes());
      return closed.get(30, TimeUnit.SECONDS);
    } finally {
      links.close();
    }
  }

  /** The system drops requests for connections beyond those that its queue holds. */
  @Test
  void aSystemThatDoesNotAnswerIsGivenUpSoon() throws Exception {
    List<Socket> queue = new ArrayList<>();
    try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      AcceptQueue.fill(peer, queue);
      assertThat(failure(peer.getLocalPort())).isEqualTo("no answer within 2000 ms");
    } finally {
      for (Socket waiting : queue) {
        waiting.close();
      }
    }
  }

  /** The process waits for a core. */
  @Test
  void aProcessThatDoesNotAnswerHasSixTimeouts() throws Exception {
    try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(failure(peer.getLocalPort()))
          .isEqualTo("no proof within " + 6 * HEARTBEAT_MILLIS + " ms");
    }
  }

  /** The job replaces a rank that gets an exception of I/O here. */
  @Test
  void withTooFewFileDescriptorsTheyAreRefusedAndLeaveNothing() throws Exception {
    open().close(); // loads everything that is needed then
    int before = descriptors();
    assertThat(DescriptorLimit.refusals(IOException.class, () -> open().close())).isNotEmpty();
    assertThat(descriptors()).isEqualTo(before);
  }

  private static int descriptors() {
    return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
  }
}
