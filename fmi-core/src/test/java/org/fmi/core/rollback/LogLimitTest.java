package org.fmi.core.rollback;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Limits of logs. */
final class LogLimitTest {
  private static final long MIB = 1 << 20;

  private static long ofState(long state, long free, int ranks) {
    return LogLimit.of(state * MIB, free * MIB, ranks, () -> Long.MAX_VALUE) / MIB;
  }

  @Test
  void isAsLongAsTheState() {
    assertThat(ofState(100, 10_000, 4)).isEqualTo(100);
    assertThat(ofState(1, 10_000, 4)).as("not less than is of use").isEqualTo(16);
  }

  @Test
  void allRanksOfANodeTakeAFifthOfItsFreeMemory() {
    assertThat(ofState(1_000, 10_000, 4)).isEqualTo(500);
    assertThat(ofState(1_000, 320, 4)).isEqualTo(16);
    assertThat(ofState(1_000, 319, 4)).as("too little").isZero();
  }

  @Test
  void beginsARecoveryLineOnceHalfTheLogIsUsed() {
    assertThat(LogLimit.isPressed(8 * MIB, 16 * MIB)).isFalse();
    assertThat(LogLimit.isPressed(8 * MIB + 1, 16 * MIB)).isTrue();
    assertThat(LogLimit.isPressed(0, LogLimit.NONE)).as("without a log").isFalse();
  }

  @Test
  void checkpointsThatAreTakenEarlyCostASixteenthAtMost() {
    assertThat(LogLimit.isWorthwhile(10, 160)).isTrue();
    assertThat(LogLimit.isWorthwhile(10, 159)).isFalse();
    assertThat(LogLimit.isWorthwhile(0, 0)).as("not measured").isTrue();
  }

  @Test
  void forecastsTheNeedFromTheMessagesSoFar() {
    assertThat(LogLimit.needed(17 * MIB, 4, 10)).isEqualTo(42 * MIB + MIB / 2);
    assertThat(LogLimit.needed(17 * MIB, 4, 2)).as("the checkpoint is late").isEqualTo(17 * MIB);
    assertThat(LogLimit.needed(17 * MIB, 4, 0)).as("begun at half").isEqualTo(34 * MIB);
    assertThat(LogLimit.free(4)).isEqualTo(320 * MIB);
  }

  @Test
  void leavesHalfOfTheDirectMemoryToTheProgram() {
    LongSupplier little = () -> 200 * MIB;
    assertThat(LogLimit.of(300 * MIB, 10_000 * MIB, 4, little)).isEqualTo(100 * MIB);
    assertThat(LogLimit.of(90 * MIB, 10_000 * MIB, 4, little)).isEqualTo(90 * MIB);
    assertThat(LogLimit.of(300 * MIB, 10_000 * MIB, 4, () -> 0)).isEqualTo(LogLimit.MIN_BYTES);
  }

  @Test
  void asksForFreeDirectMemoryOnlyIfItMatters() {
    LongSupplier never =
        () -> {
          throw new AssertionError("asked");
        };
    assertThat(LogLimit.of(MIB, 10_000 * MIB, 4, never)).isEqualTo(LogLimit.MIN_BYTES);
    assertThat(LogLimit.of(300 * MIB, 319 * MIB, 4, never)).isEqualTo(LogLimit.NONE);
  }

  @Test
  void directBuffersReduceTheDirectMemory() {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) MIB);
    try {
      // No comparison with an earlier value: a collector may free memory that other tests have
      // taken.
      assertThat(DirectMemory.left())
          .isBetween(0L, Runtime.getRuntime().maxMemory() - buffer.capacity());
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }
}
