package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.fmi.job.control.FromDaemon;
import org.fmi.run.process.EndedProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a process's output when it ends while fmirun cannot write. */
final class RankProcessTest {
  private static final int WINDOW = 160 << 10;

  /** For a long line; the output of these tests has none. */
  private static final int RESERVE = WINDOW / 4;

  /** What waits for a pump that does not end is still there when the test's time is over. */
  private static final Duration FOREVER = Duration.ofHours(1);

  private final AtomicLong bytes = new AtomicLong();
  private volatile String last = "";
  private volatile String warning = "";
  private final OutputCredit credit = new OutputCredit(WINDOW, Integer.MAX_VALUE);

  private void sent(FromDaemon message) {
    if (message instanceof FromDaemon.Output output) {
      bytes.addAndGet(output.cost());
      last = new String(output.bytes(), StandardCharsets.US_ASCII);
    } else if (message instanceof FromDaemon.Warning m) {
      warning = m.text();
    }
  }

  private RankProcess start(String script) throws IOException {
    RankProcess rank = start(script, Thread.ofPlatform().daemon().factory());
    rank.attach(1, 0, this::sent);
    return rank;
  }

  private RankProcess start(String script, ThreadFactory inputThreads) throws IOException {
    // A rank leads its group, which is killed after its end.
    Process process = new ProcessBuilder("setsid", "bash", "-c", script).start();
    return new RankProcess(0, process, credit, this::sent, FOREVER, inputThreads);
  }

  private static Thread refused(Runnable task) {
    throw new OutOfMemoryError("no more threads");
  }

  @Test
  @Timeout(60)
  void theInputOfOtherRanksThanTheFirstEndsWithoutAThread() throws Exception {
    RankProcess rank = start("cat; echo read", RankProcessTest::refused);
    rank.attach(1, 0, this::sent);
    assertThat(rank.await()).isZero();
    assertThat(last).isEqualTo("read\n");
  }

  /** The job starts the rank again, while the node and its other ranks live on. */
  @Test
  @Timeout(60)
  void theFirstRankIsKilledWithoutAThreadForItsInput() throws Exception {
    RankProcess rank = start("cat", RankProcessTest::refused);
    rank.attach(0, 0, this::sent);
    assertThat(rank.await()).isEqualTo(137);
    assertThat(warning).contains("rank 0 was killed").endsWith("no more threads");
  }

  /** Its end is told, and nothing of its output is lost, though nobody reads on. */
  @Test
  @Timeout(60)
  void theRestIsSentWithoutWaitingForTheReader() throws Exception {
    RankProcess rank =
        start("head -c 160000 /dev/zero | tr '\\0' 'x' | fold -w 79; echo; echo last");
    assertThat(rank.await()).isZero();
    assertThat(last).endsWith("last\n");
    // The window must be as it was when all has been written.
    long taken = bytes.get();
    assertThat(taken).isGreaterThan(WINDOW - RESERVE);
    credit.give(taken);
    credit.take(WINDOW - RESERVE, () -> false);
  }

  /** While it lives it is slowed down: what is sent stays bounded. */
  @Test
  @Timeout(60)
  void aLivingOneWaitsForTheReader() throws Exception {
    RankProcess rank = start("yes");
    while (bytes.get() < WINDOW / 4) {
      Thread.sleep(1);
    }
    Thread.sleep(200); // what must not happen takes no longer
    assertThat(bytes.get()).isLessThanOrEqualTo(WINDOW);
    rank.kill();
    assertThat(rank.await()).isEqualTo(137);
  }

  /** The system may have given the number of a process that has ended to another one. */
  @Test
  @Timeout(60)
  void oneThatHasGotTheNumberOfAnEndedOneSurvives() throws Exception {
    Process stranger = new ProcessBuilder("setsid", "sleep", "1000").start();
    try {
      // It leads its group when it runs sleep.
      while (!stranger.info().command().orElse("").endsWith("sleep")) {
        Thread.sleep(1);
      }
      RankProcess rank = new RankProcess(0, new Ended(stranger.pid()), credit, this::sent);
      rank.kill();
      assertThat(rank.await()).isZero();
      rank.kill();
      assertThat(stranger.waitFor(200, TimeUnit.MILLISECONDS)).isFalse();
    } finally {
      stranger.destroyForcibly();
    }
  }

  /** A process that has ended and was waited for. */
  private static final class Ended extends EndedProcess {
    private final long pid;

    Ended(long pid) {
      this.pid = pid;
    }

    @Override
    public long pid() {
      return pid;
    }
  }
}
