package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.fmi.net.NetLoop;
import org.fmi.run.status.Question.Kind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class JobSocketTest {
  /** More than sockets hold, and than a frame. */
  private static final byte[] LARGE = new byte[5 << 20];

  private final NetLoop loop =
      NetLoop.open("test-job", new byte[32], NetLoop.MAX_FRAME, warning -> {});
  private final EventFeed events = new EventFeed(LARGE.length);
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch gone = new CountDownLatch(1);

  private Path directory;

  @BeforeEach
  void listen() throws IOException {
    // Not below a long name: that of a socket is short.
    directory =
        Files.createTempDirectory(
            "fmi",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    JobSocket.listen(loop, directory, this::answer);
  }

  @AfterEach
  void end() throws IOException {
    loop.close();
    Files.deleteIfExists(directory.resolve("fmi.sock"));
    Files.delete(directory);
  }

  private void answer(Question question, Answer answer) {
    switch (question.kind()) {
      case STATUS -> {
        answer.part("rank ".getBytes(StandardCharsets.UTF_8));
        answer.part(Integer.toString(question.rank()).getBytes(StandardCharsets.UTF_8));
        answer.end();
      }
      case DRAIN -> {
        answer.part(question.node().getBytes(StandardCharsets.UTF_8));
        answer.end();
      }
      case STATUS_JSON -> {
        answer.part(LARGE);
        answer.end();
      }
      case JOB -> answer.refuse("not now");
      case CHECKPOINT -> {
        answer.part(new byte[0]);
        answer.whenGone(gone::countDown);
        asked.countDown();
      }
      case EVENTS -> {
        events.follow(answer);
        asked.countDown();
      }
      default -> {
        // no answer ever
      }
    }
  }

  private String ask(Question question) throws IOException {
    ByteArrayOutputStream parts = new ByteArrayOutputStream();
    new JobClient().ask(directory, question, parts::writeBytes);
    return parts.toString(StandardCharsets.UTF_8);
  }

  @Test
  void anAnswerComesWhole() throws IOException {
    assertThat(ask(new Question(Kind.STATUS, 3))).isEqualTo("rank 3");
    assertThat(ask(Question.of(Kind.STATUS_JSON))).hasSize(LARGE.length);
    assertThat(ask(new Question(Kind.DRAIN, Question.ALL, "user@n 1"))).isEqualTo("user@n 1");
  }

  @Test
  void whoeverAnswersHearsThatNobodyWaitsAnyMore() throws Exception {
    try (SocketChannel channel = open()) {
      send(channel, "checkpoint -1");
      asked.await();
      assertThat(gone.getCount()).isEqualTo(1);
    }
    gone.await();
  }

  @Test
  void manyAskAtATime() {
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      answers.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return ask(Question.of(Kind.STATUS_JSON)).length();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              }));
    }
    assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(LARGE.length));
  }

  @Test
  void whatIsRefusedIsRefusedWithAReason() {
    assertThatIOException().isThrownBy(() -> ask(Question.of(Kind.JOB))).withMessage("not now");
  }

  @Test
  void aQuestionOfAnotherVersionIsRefused() throws IOException {
    try (SocketChannel channel = open()) {
      send(channel, "metrics -1");
      ByteBuffer in = ByteBuffer.allocate(4096);
      while (in.position() < 5 || in.position() < 4 + in.getInt(0)) {
        assertThat(channel.read(in)).isPositive();
      }
      String text = new String(in.array(), 4, in.position() - 4, StandardCharsets.UTF_8);
      assertThat(text.charAt(0)).isEqualTo((char) JobSocket.REFUSED);
      assertThat(text).contains("does not know the request 'metrics -1'");
    }
  }

  @Test
  void whoDoesNotReadHoldsNobodyUp() throws Exception {
    try (SocketChannel channel = open()) {
      send(channel, "events -1");
      asked.await();
      CompletableFuture<Boolean> isReady = new CompletableFuture<>();
      byte[] line = new byte[64 << 10];
      for (int i = 0; i < 3 * LARGE.length / line.length; i++) {
        loop.execute(() -> events.add(line));
      }
      loop.execute(() -> isReady.complete(true));
      isReady.join();
      assertThat(ask(new Question(Kind.STATUS, 3))).isEqualTo("rank 3");
      // It has got what was on its way, which is far less than there was, and the reason.
      ByteBuffer in = ByteBuffer.allocate(4 * LARGE.length);
      long limit = 2L << 20;
      int at = 0;
      while (in.position() < at + 5 || in.get(at + 4) != JobSocket.REFUSED) {
        assertThat(channel.read(in)).isPositive();
        while (in.position() >= at + 5
            && in.position() >= at + 4 + in.getInt(at)
            && in.get(at + 4) == JobSocket.PART) {
          at += 4 + in.getInt(at);
        }
      }
      assertThat((long) at).isLessThan(limit);
    }
  }

  @Test
  void aFmirunThatDoesNotAnswerIsNotWaitedForWithoutEnd() {
    assertThatIOException()
        .isThrownBy(() -> new JobClient(10).ask(directory, Question.of(Kind.STOP), _ -> {}))
        .withMessageContaining("does not answer");
  }

  @Test
  void aJobThatEndsMeanwhileIsToldApart() {
    CompletableFuture<Void> ended =
        CompletableFuture.runAsync(
            () -> {
              try {
                asked.await();
                loop.close();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    loop.execute(() -> events.add(new byte[] {'1'}));
    assertThatIOException()
        .isThrownBy(() -> ask(Question.of(Kind.EVENTS)))
        .withMessageContaining("has ended");
    ended.join();
    assertThatIOException()
        .isThrownBy(() -> ask(Question.of(Kind.STATUS)))
        .withMessageContaining("cannot reach");
  }

  private SocketChannel open() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve("fmi.sock")));
  }

  private static void send(SocketChannel channel, String question) throws IOException {
    byte[] bytes = question.getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).flip();
    while (frame.hasRemaining()) {
      assertThat(channel.write(frame)).isPositive();
    }
  }
}
