package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.fmi.core.p2p.Contexts;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimulationFailure;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports of messages that differ from the sent ones, arrive twice, or differ when repeated. */
final class LedgerTest {
  private static final int FROM = 1;
  private static final int TO = 2;
  private static final int TAG = 3;

  private final Ledger ledger = new Ledger();

  /** Two messages are sent, in two iterations; both are received in the second one. */
  @BeforeEach
  void twoIterations() {
    sends(0, 100);
    sends(1, 101);
    receives(0);
    receives(1, 100, 101);
  }

  private void sends(long iteration, long... data) {
    ledger.onIteration(FROM, iteration);
    for (long each : data) {
      ledger.onSend(FROM, TO, TAG, new long[] {each});
    }
    ledger.onIteration(FROM, iteration + 1);
  }

  private void receives(long iteration, long... data) {
    ledger.onIteration(TO, iteration);
    for (long each : data) {
      ledger.onReceive(TO, FROM, TAG, new long[] {each});
    }
    ledger.onIteration(TO, iteration + 1);
  }

  @Test
  void aRankThatRollsBackMayAskAgain() {
    assertThatCode(
            () -> {
              sends(0, 100);
              sends(1, 101);
              receives(1, 100, 101);
              receives(1, 100, 101);
              ledger.checkAllReceived();
            })
        .doesNotThrowAnyException();
  }

  @Test
  void detectsASubstitutedMessage() {
    assertThatThrownBy(() -> sends(1, 102))
        .hasMessage("message 1 from rank 1 to rank 2 with tag 3 is another one than before");
  }

  @Test
  void detectsAChangedOrOmittedMessage() {
    assertThatThrownBy(() -> receives(1, 101))
        .hasMessage("message 0 from rank 1 to rank 2 with tag 3 is not what was sent");
  }

  @Test
  void detectsADuplicatedMessage() {
    assertThatThrownBy(() -> receives(2, 101))
        .hasMessage("message 2 from rank 1 to rank 2 with tag 3 was received, but never sent");
  }

  @Test
  void detectsALostMessage() {
    sends(2, 102);
    assertThatThrownBy(ledger::checkAllReceived)
        .hasMessage("of 3 messages from rank 1 to rank 2 with tag 3 only 2 were received");
  }

  /** Flips a bit of the first message that a surviving rank resends to a lost one. */
  private static final class Flipping extends Ledger {
    boolean flipped;

    @Override
    public void onFrame(SimProcess from, int to, MemorySegment frame) {
      int context = frame.get(FrameLayout.INT, FrameLayout.CONTEXT);
      int payload = frame.get(FrameLayout.INT, FrameLayout.PAYLOAD);
      boolean again = frame.get(FrameLayout.INT, FrameLayout.EPOCH) == 1;
      if (!flipped
          && again
          && from.rank() == FROM
          && to == TO
          && context == Contexts.pointToPoint(Contexts.WORLD)
          && payload > 0) {
        long last = (long) FrameLayout.HEADER_BYTES + payload - 1;
        frame.set(FrameLayout.BYTE, last, (byte) (frame.get(FrameLayout.BYTE, last) ^ 1));
        flipped = true;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void detectsABitFlipInAResentMessage(boolean overlapped) {
    FaultSpec kill = new FaultSpec(false, TO, false, FaultPoint.ITERATION, 8);
    Shape shape =
        Shape.plain(4, 1, OnNoSpare.ABORT)
            .withInterval(new CheckpointInterval.Every(3))
            .withLocalRollback(1 << 20)
            .withFaults(kill);
    JobSimulation job =
        new JobSimulation(
            3, overlapped ? shape.withOverlap() : shape, SimModel.calm(), LocalWorkload::run);
    Flipping flipping = new Flipping();
    job.cluster().watch(flipping);
    assertThatThrownBy(job::run)
        .isInstanceOf(SimulationFailure.class)
        .hasStackTraceContaining("from rank 1 to rank 2")
        .hasStackTraceContaining("is not what was sent");
    assertThat(flipping.flipped).isTrue();
  }
}
