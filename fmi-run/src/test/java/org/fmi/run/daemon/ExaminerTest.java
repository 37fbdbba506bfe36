package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;
import org.fmi.net.NetLoop;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ExaminerTest {
  private static final byte[] SECRET = new byte[32];
  private static final String HOST = "127.0.0.1";
  private static final int MILLIS = 500;

  private final BlockingQueue<FromDaemon.Examined> answers = new LinkedBlockingQueue<>();

  @SuppressWarnings("NullAway.Init") // by open()
  private NetLoop loop;

  @SuppressWarnings("NullAway.Init") // by open()
  private Examiner examiner;

  @BeforeEach
  void open() {
    loop = NetLoop.open("test-examiner", SECRET, NetLoop.MAX_FRAME, System.err::println);
    examiner = new Examiner(loop, 0, answers::add);
  }

  @AfterEach
  void close() {
    loop.close();
  }

  private void examine(int round, ToDaemon.Peer... peers) {
    loop.execute(() -> examiner.examine(new ToDaemon.Examine(round, MILLIS, List.of(peers))));
  }

  private FromDaemon.@Nullable Examined answer() throws InterruptedException {
    return answers.poll(30, TimeUnit.SECONDS);
  }

  private static ToDaemon.Peer peer(int node, int port) {
    return new ToDaemon.Peer(node, HOST, port);
  }

  /** A port at which nobody listens. */
  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void namesThePeersThatItCannotReach() throws Exception {
    try (NetLoop other = NetLoop.open("test-daemon", SECRET, NetLoop.MAX_FRAME, warning -> {})) {
      int port =
          other
              .listen(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                  MILLIS,
                  (identity, remote) -> Examiner.ANSWERING)
              .port();
      examine(1, peer(0, 1), peer(1, port), peer(2, closedPort()), peer(3, port));
      assertThat(answer()).isEqualTo(new FromDaemon.Examined(1, List.of(2)));
    }
  }

  /** Its system answers, and the process gets no core. */
  @Test
  void aPeerThatIsLateWithItsProofIsReached() throws Exception {
    try (ServerSocket starved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      examine(1, peer(1, starved.getLocalPort()));
      assertThat(answer()).isEqualTo(new FromDaemon.Examined(1, List.of()));
    }
  }

  @Test
  void whoHasNobodyToReachAnswersAtOnce() throws Exception {
    examine(7);
    assertThat(answer()).isEqualTo(new FromDaemon.Examined(7, List.of()));
  }

  @Test
  void aNewerExaminationReplacesTheOlder() throws Exception {
    try (ServerSocket starved = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ToDaemon.Peer closed = peer(1, closedPort());
      ToDaemon.Peer late = peer(2, starved.getLocalPort());
      loop.execute(
          () -> {
            examiner.examine(new ToDaemon.Examine(1, MILLIS, List.of(closed)));
            examiner.examine(new ToDaemon.Examine(2, MILLIS, List.of(late)));
          });
      assertThat(answer()).isEqualTo(new FromDaemon.Examined(2, List.of()));
      assertThat(answers).isEmpty();
    }
  }
}
