package org.fmi.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.spi.RecoveryPolicy;
import org.junit.jupiter.api.Test;

/** The contract of a {@link org.fmi.spi.FailureDetector} that sends heartbeats itself. */
public abstract class SilenceContract extends DetectorContract {
  /** The heartbeat timeout; a rank of the same machine may have several. */
  protected int timeoutMillis() {
    return 200;
  }

  /**
   * A rank sends a heartbeat every fifteen timeouts: it is silent, and may live. Where the job
   * continues without its dead nobody takes it for dead.
   */
  @Test
  void silenceThatEndsIsTakenBack() throws Exception {
    int silent = 2;
    run(
        4,
        (rank, job) ->
            job.policy(new RecoveryPolicy.Shrink())
                .heartbeatMillis(timeoutMillis())
                .detection(detection(rank == silent ? 15 * timeoutMillis() : timeoutMillis() / 4)),
        member -> {
          connect(member);
          member.meet();
          member.until(() -> member.silences().contains(new Silence(silent, false)));
          member.until(() -> member.silences().contains(new Silence(silent, true)));
          member.meet();
          assertThat(member.failures()).isEmpty();
        });
  }

  /**
   * Otherwise silence is a failure, which ends the epoch. If its link is closed for that, the rank
   * may take its neighbour for dead.
   */
  @Test
  void silenceIsAFailureWhereRanksAreReplaced() throws Exception {
    int silent = 2;
    run(
        4,
        (rank, job) ->
            job.heartbeatMillis(timeoutMillis())
                .detection(detection(rank == silent ? 1_000_000 : timeoutMillis() / 4)),
        member -> {
          connect(member);
          member.meet();
          if (member.rank() != silent) {
            member.until(() -> member.failures().stream().anyMatch(f -> f.failed() == silent));
          }
          member.meet();
        });
  }
}
