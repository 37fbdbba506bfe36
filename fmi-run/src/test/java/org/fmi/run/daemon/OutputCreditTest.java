package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.fmi.job.control.FromDaemon;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
final class OutputCreditTest {
  private static final int RESERVE = 80 << 10;
  private static final int PART = RESERVE / 2;
  private static final String FIRST = "first";
  private static final String SECOND = "second";

  private OutputCredit credit = new OutputCredit(4 * RESERVE, Integer.MAX_VALUE);

  private interface Waiting {
    void run() throws InterruptedException;
  }

  /** Runs it on a thread of its own, and returns once that waits or has ended. */
  private static CompletableFuture<Void> start(Waiting task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    task.run();
                    done.complete(null);
                  } catch (InterruptedException e) {
                    done.completeExceptionally(e);
                  }
                });
    while (!done.isDone()
        && thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return done;
  }

  @Test
  void wholeLinesLeaveTheReserveToALongOne() throws InterruptedException {
    credit.take(3L * RESERVE, () -> false);
    CompletableFuture<Void> line = start(() -> credit.take(1, () -> false));
    assertThat(line).isNotDone();
    credit.takePart(FIRST, RESERVE, () -> false);
    assertThat(line).isNotDone();
    credit.give(RESERVE);
    assertThat(line).isNotDone();
    credit.give(1);
    line.join();
  }

  /** What is read and the line before it fit into one message, which fits into the reserve. */
  @Test
  void linesAreAsLongAsTheCreditPermits() {
    for (int bytes : new int[] {10 << 10, 100_000, 4 * RESERVE}) {
      OutputCredit some = new OutputCredit(bytes, 1);
      assertThat(some.readBytes()).isGreaterThanOrEqualTo(512);
      assertThat(some.mostBytesOfLine()).isGreaterThan(some.readBytes());
      assertThat(some.mostBytesOfLine() + some.readBytes() + FromDaemon.Output.OVERHEAD)
          .isLessThanOrEqualTo(bytes / 4);
    }
  }

  @Test
  void oneLongLineAtATime() throws InterruptedException {
    credit.takePart(FIRST, PART, () -> false);
    CompletableFuture<Void> second = start(() -> credit.takePart(SECOND, PART, () -> false));
    credit.sentPart(FIRST, true);
    credit.takePart(FIRST, PART, () -> false);
    assertThat(second).isNotDone();
    credit.take(1, () -> false); // whole lines of others may be sent
    credit.sentPart(FIRST, false);
    second.join();
  }

  @Test
  void whoPausesLosesItsTurn() throws InterruptedException {
    credit = new OutputCredit(4 * RESERVE, 1);
    credit.takePart(FIRST, PART, () -> false);
    CompletableFuture<Void> second = start(() -> credit.takePart(SECOND, PART, () -> false));
    assertThat(second).isNotDone(); // however long the first one is about to send
    credit.sentPart(FIRST, true);
    second.join();
    CompletableFuture<Void> first = start(() -> credit.takePart(FIRST, PART, () -> false));
    credit.sentPart(SECOND, false);
    first.join();
  }

  /** The end of its process is reported once its output was sent. */
  @Test
  void whoHasEndedWaitsForNobody() throws InterruptedException {
    AtomicBoolean ended = new AtomicBoolean();
    credit.takePart(FIRST, RESERVE, () -> false);
    CompletableFuture<Void> second = start(() -> credit.takePart(SECOND, PART, ended::get));
    assertThat(second).isNotDone();
    ended.set(true);
    credit.lookAgain();
    second.join();
    credit.sentPart(SECOND, true);
    CompletableFuture<Void> third = start(() -> credit.takePart("third", 1, () -> false));
    assertThat(third).isNotDone(); // it is the first one's turn still
    credit.sentPart(FIRST, false);
    third.join();
  }
}
