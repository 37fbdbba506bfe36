package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the ledger knows of how far a program has come. */
final class FailureLedgerTest {
  private final FailureLedger ledger = new FailureLedger(2, JobSpec.Recovery.ofAll(10));

  @Test
  void nothingIsKnownBeforeTheFirstCheckpoint() {
    assertThat(ledger.filesRead(0, 0)).isEqualTo(-1);
  }

  @Test
  void theNewestCheckpointAndWhereRanksHaveStoppedTellWhatIsComputedAgain() {
    ledger.committed(0, 0, 0);
    ledger.committed(1, 0, 10);
    assertThat(ledger.filesRead(0, 5)).isEqualTo(5);
    ledger.left(0, 17);
    ledger.left(0, 16);
    assertThat(ledger.filesRead(0, 5)).isEqualTo(12);
    ledger.committed(2, 0, 20);
    assertThat(ledger.filesRead(0, 5)).isEqualTo(15);
    assertThat(ledger.filesRead(0, 30)).isZero();
  }

  @Test
  void iterationsOfAnotherLoopAreNotCounted() {
    ledger.committed(3, 0, 40);
    ledger.left(1, 7);
    assertThat(ledger.filesRead(0, 10)).isEqualTo(-1);
    assertThat(ledger.filesRead(1, 0)).isEqualTo(7);
  }

  /**
   * The files that a job reads later are its own: without them it would begin again from nothing.
   */
  @Test
  void onlyWhatBeganWithFilesMayBeginAgain() {
    for (boolean began : new boolean[] {true, false}) {
      FailureLedger job = new FailureLedger(2, JobSpec.Recovery.ofAll(10));
      assertThat(job.allRun(-1)).isNull();
      if (began) {
        job.filesRead(1, 50);
      }
      job.committed(9, 1, 60);
      assertThat(job.recover("rank 1 lost")).isNull();
      job.filesRead(1, 50);
      assertThat(job.allRun(50)).isNull();
      assertThat(job.recover("all lost")).isNull();
      assertThat(job.allRun(-1) == null).isEqualTo(began);
    }
  }
}
