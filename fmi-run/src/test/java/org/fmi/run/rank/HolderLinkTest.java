package org.fmi.run.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.PieceAnswer;
import org.fmi.job.control.PieceAnswerCodec;
import org.fmi.job.control.PieceQuestion;
import org.fmi.job.control.PieceQuestionCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.EarlierMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a daemon answers, and daemons that are gone, lie or end meanwhile. */
final class HolderLinkTest {
  private static final byte[] SECRET = new byte[32];
  private static final int MILLIS = 5_000;
  private static final CheckpointId ID = new CheckpointId(3, 0, 30, false);
  private static final byte[] BLOCK = {1, 2, 3};

  private final AtomicInteger connections = new AtomicInteger();

  @SuppressWarnings("NullAway.Init") // by open()
  private NetLoop daemon;

  @SuppressWarnings("NullAway.Init") // by open()
  private HolderLink link;

  @BeforeEach
  void open() {
    daemon = NetLoop.open("test-daemon", SECRET, NetLoop.MAX_FRAME, warning -> {});
    link = new HolderLink(SECRET, MILLIS);
  }

  @AfterEach
  void close() {
    link.close();
    daemon.close();
  }

  private static PieceQuestion row(long number) {
    return new PieceQuestion.Block(2, ID, 0, number);
  }

  private static EarlierMemory.Holder at(int port) {
    return new EarlierMemory.Holder("127.0.0.1", port, new int[] {2});
  }

  /** Row 0 is there, row 1 is not, row 2 arrives damaged; with row 3 the daemon ends. */
  private EarlierMemory.Holder holder() throws Exception {
    return at(
        daemon
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                MILLIS,
                (identity, remote) -> {
                  assertThat(identity).isEqualTo(PieceQuestion.identity());
                  connections.incrementAndGet();
                  return new Answers();
                })
            .port());
  }

  private static final class Answers implements ConnectionHandler {
    @Override
    public void onOpen(Connection connection) {}

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      try {
        PieceQuestion.Block block = (PieceQuestion.Block) PieceQuestionCodec.decode(frame);
        switch ((int) block.row()) {
          case 0 -> connection.send(PieceAnswerCodec.encode(PieceAnswer.Found.of(BLOCK)));
          case 1 -> connection.send(PieceAnswerCodec.encode(new PieceAnswer.Missing()));
          case 2 -> connection.send(PieceAnswerCodec.encode(new PieceAnswer.Found(BLOCK, 0)));
          default -> connection.close();
        }
      } catch (BadMessageException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {}
  }

  @Test
  void whatIsThereArrivesAndNothingElse() throws Exception {
    EarlierMemory.Holder holder = holder();
    assertThat(link.ask(holder, row(0))).isEqualTo(BLOCK);
    assertThat(link.ask(holder, row(1))).isNull();
    assertThat(link.ask(holder, row(2))).as("damaged on its way").isNull();
    assertThat(link.ask(holder, row(0))).isEqualTo(BLOCK);
    assertThat(connections).hasValue(1);
  }

  @Test
  void aDaemonThatEndsIsAskedNoMore() throws Exception {
    EarlierMemory.Holder holder = holder();
    assertThat(link.ask(holder, row(0))).isEqualTo(BLOCK);
    assertThat(link.ask(holder, row(3))).isNull();
    assertThat(connections).as("a connection may break once").hasValue(2);
    assertThat(link.ask(holder, row(0))).isNull();
    assertThat(connections).hasValue(2);
  }

  @Test
  void aDaemonThatIsGoneHasNoAnswer() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    assertThat(link.ask(at(port), row(0))).isNull();
    assertThat(link.ask(holder(), row(0))).as("another one").isEqualTo(BLOCK);
  }

  @Test
  void aClosedLinkConnectsAgain() throws Exception {
    EarlierMemory.Holder holder = holder();
    assertThat(link.ask(holder, row(0))).isEqualTo(BLOCK);
    link.close();
    assertThat(link.ask(holder, row(0))).isEqualTo(BLOCK);
    assertThat(connections).hasValue(2);
  }
}
