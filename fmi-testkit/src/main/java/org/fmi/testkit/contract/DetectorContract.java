package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.fmi.spi.Detection;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RecoveryPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of every {@link FailureDetector}. A detector's test extends this class and runs
 * ranks in {@link #run}, most likely with {@link DetectorThreads}.
 */
public abstract class DetectorContract {
  /** The epoch of the detectors under test. */
  public static final int EPOCH = 3;

  /** A period of heartbeats with which no rank is suspected. */
  private static final int QUIET_MILLIS = 100;

  /** A failure reported to a rank. */
  public record Heard(int failed, int hops) {}

  /** The silence of a rank has begun or ended. */
  public record Silence(int rank, boolean ended) {}

  /** Settings of a rank for one test. */
  public interface Setup {
    JobSettings.Builder of(int rank, JobSettings.Builder job);
  }

  /** A rank under test. Its detector is open and not connected, and closed afterwards. */
  public interface Member {
    int rank();

    FailureDetector detector();

    /** The endpoints of all ranks. */
    byte[][] endpoints();

    /**
     * The failure that its detector has reported; null if none. Fails if there was more than one.
     */
    @Nullable Heard heard();

    /** All failures that its detector has reported, in their order. */
    List<Heard> failures();

    /** The ranks whose silence began or ended, as seen by any rank. */
    Collection<Silence> silences();

    /** Waits until all members have called this. */
    void meet() throws Exception;

    /** Waits until a condition holds. */
    void until(BooleanSupplier condition) throws Exception;

    /** Runs an action on another thread, once this one waits. */
    void elsewhere(Runnable action);
  }

  /** A rank's part of a test. */
  public interface Body {
    void run(Member member) throws Exception;
  }

  /** Runs {@code body} for each of {@code ranks} ranks, all at the same time. */
  protected abstract void run(int ranks, Setup setup, Body body) throws Exception;

  /** The way in which the ranks watch each other. */
  protected Detection detection(int periodMillis) {
    return new Detection(Detection.Overlay.LOGRING, periodMillis, true);
  }

  private void run(int ranks, Body body) throws Exception {
    run(ranks, (rank, job) -> job.detection(detection(QUIET_MILLIS)), body);
  }

  private static JobSettings.Builder continuing(JobSettings.Builder job) {
    return job.policy(new RecoveryPolicy.Shrink());
  }

  /** The transport that the overlay should use. */
  protected abstract String transport();

  final void connect(Member member) throws IOException {
    member.detector().connect(Endpoints.of(member.endpoints()));
    assertThat(member.detector().transport()).isEqualTo(transport());
  }

  @Test
  void allRanksAreNotifiedOfALoss() throws Exception {
    int failed = 7;
    int by = 3;
    run(
        16,
        member -> {
          connect(member);
          member.meet();
          if (member.rank() == by) {
            member.detector().announce(failed, "its data connection broke");
          }
          if (member.rank() != failed) {
            member.until(() -> member.heard() != null);
            assertThat(member.heard()).extracting(Heard::failed).isEqualTo(failed);
          }
          if (member.rank() == by) {
            assertThat(member.heard()).isEqualTo(new Heard(failed, 0));
          }
          member.meet();
        });
  }

  /** A job that continues without its dead: the epoch does not end with the first one. */
  @Test
  void eachOfSeveralFailuresIsReportedOnceToAllTheLiving() throws Exception {
    Set<Integer> dead = Set.of(5, 6, 7, 11);
    run(
        16,
        (_, job) -> continuing(job).detection(detection(QUIET_MILLIS)),
        member -> {
          connect(member);
          member.meet();
          if (member.rank() == 3 || member.rank() == 12) {
            dead.forEach(rank -> member.detector().announce(rank, "its data connection broke"));
          }
          if (!dead.contains(member.rank())) {
            member.until(() -> member.failures().size() >= dead.size());
            assertThat(member.failures())
                .extracting(Heard::failed)
                .containsExactlyInAnyOrderElementsOf(dead);
          }
          member.meet();
        });
  }

  /** The job has notified all ranks of a death: the others need not, and connect does not wait. */
  @Test
  void aDeathThatTheJobReportsIsNotReportedAgain() throws Exception {
    run(
        3,
        (_, job) -> continuing(job).detection(detection(QUIET_MILLIS)),
        member -> {
          if (member.rank() != 2) {
            member.detector().dead(2);
          }
          member.meet();
          if (member.rank() != 2) {
            connect(member);
            member.detector().announce(2, "its data connection broke");
            member.detector().announce(1 - member.rank(), "to see what arrives before it");
            member.until(() -> member.heard() != null);
            assertThat(member.heard()).extracting(Heard::failed).isEqualTo(1 - member.rank());
          }
          member.meet();
        });
  }

  @Test
  void aGoodbyeIsNoFailure() throws Exception {
    int leaving = 2;
    int failed = 0;
    int by = 3;
    run(
        8,
        member -> {
          connect(member);
          member.meet();
          if (member.rank() == leaving) {
            member.detector().close();
          }
          member.meet();
          if (member.rank() == by) {
            // The next messages on the same links arrive after the goodbye.
            member.detector().announce(failed, "its data connection broke");
          }
          if (member.rank() != leaving && member.rank() != failed) {
            member.until(() -> member.heard() != null);
            assertThat(member.heard()).extracting(Heard::failed).isEqualTo(failed);
          }
          member.meet();
        });
  }

  @Test
  void aPeerThatIsNotThereIsAFailureAndEndsConnect() throws Exception {
    run(
        2,
        member -> {
          if (member.rank() == 1) {
            member.detector().close();
          }
          member.meet();
          if (member.rank() == 0) {
            assertThatThrownBy(() -> member.detector().connect(Endpoints.of(member.endpoints())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rank 1 has failed");
            assertThat(member.heard()).isEqualTo(new Heard(1, 0));
          }
        });
  }

  @Test
  @Timeout(120)
  void closeEndsConnect() throws Exception {
    run(
        2,
        member -> {
          if (member.rank() == 1) {
            // Rank 1 waits for rank 0, which never connects.
            member.elsewhere(() -> member.detector().close());
            assertThatThrownBy(() -> member.detector().connect(Endpoints.of(member.endpoints())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be connected: closed");
          }
          member.meet();
        });
  }

  /** The epoch may be revoked between its start and the first connection. */
  @Test
  void connectAfterCloseFails() throws Exception {
    run(
        2,
        member -> {
          member.detector().close();
          assertThatThrownBy(() -> member.detector().connect(Endpoints.of(member.endpoints())))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("closed");
        });
  }

  @Test
  void oneRankNeedsNoPeer() throws Exception {
    run(1, this::connect);
  }
}
