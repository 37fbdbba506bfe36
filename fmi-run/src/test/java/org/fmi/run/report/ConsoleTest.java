package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.fmi.run.Amounts;
import org.fmi.run.options.RunOptions.Verbosity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
final class ConsoleTest {
  private static final String ERASE = "\r\u001b[K";
  private static final IntSupplier WIDTH = () -> 20;
  private static final long MOST_BYTES = 1000;
  private static final long SECOND = 1_000_000_000;

  /** Both streams are one terminal. */
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

  private boolean together;
  private volatile boolean others;

  private Console console(boolean tagged, boolean timed, @Nullable IntSupplier width) {
    Console console =
        new Console(
            new Console.Streams(screen, screen, together, width != null, width, () -> others, null),
            MOST_BYTES,
            tagged,
            timed,
            () -> {},
            () -> {});
    console.start();
    return console;
  }

  private String drained(Console console) throws InterruptedException {
    console.drain(Long.MAX_VALUE);
    return screen.toString(StandardCharsets.UTF_8);
  }

  private static void output(Console console, int rank, boolean error, String text) {
    console.output(rank, error, text.getBytes(StandardCharsets.UTF_8), false, () -> {});
  }

  private static void part(Console console, int rank, String text) {
    console.output(rank, false, text.getBytes(StandardCharsets.UTF_8), true, () -> {});
  }

  @Test
  void linesThatArriveInPartsAreNotCut() throws InterruptedException {
    Console console = console(true, false, null);
    part(console, 0, "aa");
    part(console, 1, "bb");
    output(console, 2, false, "c\n");
    part(console, 0, "aa");
    output(console, 0, false, "a\n");
    output(console, 1, false, "b\n");
    assertThat(drained(console)).isEqualTo("[0] aaaaa\n[1] bbb\n[2] c\n");
  }

  /** A terminal that stops reading while processes end with much output in their pipes. */
  @Test
  void outputBeyondTheBoundIsDroppedAndCounted() throws Exception {
    CountDownLatch reads = new CountDownLatch(1);
    OutputStream stuck =
        new OutputStream() {
          @Override
          public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int from, int count) {
            try {
              reads.await();
              screen.write(bytes, from, count);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    Console console =
        new Console(
            new Console.Streams(stuck, stuck, false, false, null, () -> false, null),
            MOST_BYTES,
            false,
            false,
            () -> {},
            () -> {});
    console.start();
    AtomicInteger written = new AtomicInteger();
    byte[] line = "12345678\n".repeat(10).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 100; i++) {
      console.output(i, false, line, false, written::incrementAndGet);
    }
    assertThat(written).as("credit given back before the output's turn").hasValue(0);
    reads.countDown();
    while (written.get() < 100) {
      Thread.onSpinWait();
    }
    output(console, 3, false, "after\n");
    String shown = drained(console);
    assertThat(shown.lines().filter("12345678"::equals)).hasSize(110);
    assertThat(shown)
        .contains("fmi: " + Amounts.bytes(9000 - 990) + " of output are missing")
        .endsWith("after\n");
  }

  /** As in a batch job, which writes both to one file. */
  @Test
  void norByOutputToTheSameFile() throws InterruptedException {
    together = true;
    Console console = console(false, false, null);
    part(console, 0, "aa");
    console.line("fmi: x");
    output(console, 1, true, "b\n");
    output(console, 0, false, "a\n");
    output(console, 0, false, "begun");
    output(console, 0, true, "c\n");
    assertThat(drained(console)).isEqualTo("aaa\nfmi: x\nb\nbegun\nc\n");
  }

  /** What it prints again begins where its first process did. */
  @Test
  void aProcessThatWasLostInTheMiddleOfALineIsNotWaitedFor() throws InterruptedException {
    Console console = console(false, false, null);
    part(console, 0, "aa");
    output(console, 1, false, "b\n");
    console.spawned(0, 1);
    output(console, 1, false, "c\n");
    console.begun(true);
    output(console, 0, false, "aaa\n");
    assertThat(drained(console)).isEqualTo("aa\nb\nc\naaa\n");
  }

  @Test
  void inTheBackgroundThereIsNoLiveLine() throws InterruptedException {
    Console console = console(false, false, WIDTH);
    console.live("one");
    assertThat(drained(console)).isEqualTo(ERASE + "one");
    others = true;
    console.live("two");
    assertThat(drained(console)).isEqualTo(ERASE + "one");
    console.line("fmi: x"); // below the line, which is not erased: there may be a prompt
    assertThat(drained(console)).isEqualTo(ERASE + "one\nfmi: x\n");
    others = false;
    console.live("three");
    assertThat(drained(console)).endsWith("fmi: x\n" + ERASE + "three");
  }

  @Test
  void linesOfRanksAreNotMixed() throws InterruptedException {
    Console console = console(true, false, null);
    output(console, 0, false, "a");
    output(console, 1, false, "b\nc\n");
    output(console, 1, false, "d");
    output(console, 1, false, "e\n");
    assertThat(drained(console)).isEqualTo("[0] a\n[1] b\n[1] c\n[1] de\n");
  }

  @Test
  void ownLinesMayBeginWithTheTime() throws InterruptedException {
    Console console = console(false, true, null);
    console.line("fmi: x");
    output(console, 0, false, "out\n");
    assertThat(drained(console))
        .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} fmi: x\nout\n");
  }

  @Test
  void theLiveLineIsErasedBeforeOutput() throws InterruptedException {
    Console console = console(false, false, WIDTH);
    console.live("one");
    assertThat(drained(console)).isEqualTo(ERASE + "one");
    output(console, 0, false, "out\n");
    output(console, 0, true, "err\n");
    assertThat(drained(console)).isEqualTo(ERASE + "one" + ERASE + "out\nerr\n");
    console.live("");
    assertThat(drained(console)).endsWith("err\n");
  }

  @Test
  void theLiveLineIsRedrawnInItsPlaceAndFitsTheTerminal() throws InterruptedException {
    Console console = console(false, false, WIDTH);
    console.live("one");
    drained(console);
    console.live("0123456789012345678901234");
    assertThat(drained(console)).isEqualTo(ERASE + "one" + ERASE + "0123456789012345678");
    console.live("");
    assertThat(drained(console)).endsWith("8" + ERASE);
  }

  @Test
  void theLiveLineWaitsForTheEndOfALineOfOutput() throws InterruptedException {
    Console console = console(false, false, WIDTH);
    output(console, 0, false, "begun");
    console.live("one");
    assertThat(drained(console)).isEqualTo("begun");
    output(console, 0, false, " and ended\n");
    console.live("two");
    assertThat(drained(console)).isEqualTo("begun and ended\n" + ERASE + "two");
  }

  @Test
  void withoutATerminalThereIsALineAMinute() throws InterruptedException {
    Console console = console(false, false, null);
    LiveProgress live = new LiveProgress(Verbosity.NORMAL, console, 0);
    for (int second = 0; second <= 130; second++) {
      int number = second;
      live.look(() -> "second " + number, second * SECOND);
    }
    live.end();
    assertThat(drained(console)).isEqualTo("fmi: second 60\nfmi: second 120\n");
  }

  @Test
  void quietMeansNothing() throws InterruptedException {
    for (@Nullable IntSupplier width : new @Nullable IntSupplier[] {null, WIDTH}) {
      Console console = console(false, false, width);
      LiveProgress live = new LiveProgress(Verbosity.QUIET, console, 0);
      live.look(() -> "x", 100 * SECOND);
      live.end();
      assertThat(drained(console)).isEmpty();
    }
  }
}
