package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.fmi.testkit.contract.DetectorContract.Heard;
import org.fmi.testkit.support.RankThreads;
import org.jspecify.annotations.Nullable;

/** Runs a {@link DetectorContract}'s ranks on real detectors, each on a thread. */
public final class DetectorThreads {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(60);

  private DetectorThreads() {}

  /** A rank's configuration. */
  public static RankConfig config(
      int rank, int size, String transport, byte[] secret, int timeoutMillis) {
    JobSettings job =
        RankConfigs.job(size).heartbeatMillis(timeoutMillis).transports(List.of(transport)).build();
    return RankConfigs.rank(rank, job).secret(secret).build();
  }

  /** Opens a detector per rank, runs {@code body} on a thread for each, and closes them. */
  public static void run(
      FailureDetectorProvider provider,
      String transport,
      int ranks,
      DetectorContract.Setup setup,
      DetectorContract.Body body)
      throws InterruptedException {
    Queue<DetectorContract.Silence> silences = new ConcurrentLinkedQueue<>();
    byte[][] endpoints = new byte[ranks][];
    CyclicBarrier barrier = new CyclicBarrier(ranks);
    RankThreads.run(
        ranks,
        rank -> {
          Queue<Heard> heard = new ConcurrentLinkedQueue<>();
          RankConfig plain = config(rank, ranks, transport, new byte[32], TIMEOUT_MILLIS);
          RankConfig config =
              plain.toBuilder().job(setup.of(rank, plain.job().toBuilder()).build()).build();
          try (FailureDetector detector =
              provider.open(
                  config,
                  DetectorContract.EPOCH,
                  new Findings(heard, silences),
                  Diagnostics.NONE)) {
            endpoints[rank] = detector.endpoint();
            Member member = new Member(rank, detector, endpoints, barrier, heard, silences);
            member.meet();
            body.run(member);
          }
          assertThat(heard).extracting(Heard::failed).doesNotHaveDuplicates();
        });
  }

  /** Collects what the detectors report. */
  public record Findings(Collection<Heard> heard, Collection<DetectorContract.Silence> silences)
      implements FailureDetector.Listener {
    @Override
    public void onFailure(int rank, int hops, String reason) {
      heard.add(new Heard(rank, hops));
    }

    @Override
    public void onSilence(int rank, String reason) {
      silences.add(new DetectorContract.Silence(rank, false));
    }

    @Override
    public void onHeard(int rank) {
      silences.add(new DetectorContract.Silence(rank, true));
    }
  }

  private record Member(
      int rank,
      FailureDetector detector,
      byte[][] endpoints,
      CyclicBarrier barrier,
      Queue<Heard> all,
      Queue<DetectorContract.Silence> silences)
      implements DetectorContract.Member {
    @Override
    public @Nullable Heard heard() {
      assertThat(all).hasSizeLessThanOrEqualTo(1);
      return all.peek();
    }

    @Override
    public List<Heard> failures() {
      return List.copyOf(all);
    }

    @Override
    public void meet() throws Exception {
      barrier.await(60, TimeUnit.SECONDS);
    }

    @Override
    public void until(BooleanSupplier condition) throws Exception {
      long begin = System.nanoTime();
      while (!condition.getAsBoolean()) {
        assertThat(System.nanoTime() - begin).as("it comes true").isLessThan(MOST_NANOS);
        Thread.sleep(1);
      }
    }

    @Override
    public void elsewhere(Runnable action) {
      Thread waiting = Thread.currentThread();
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                while (waiting.getState() != Thread.State.WAITING && waiting.isAlive()) {
                  Thread.onSpinWait();
                }
                action.run();
              });
    }
  }
}
