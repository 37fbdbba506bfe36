package org.fmi.core.rollback;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** How long logs may be. */
final class LogRoomTest {
  private static final long MIB = 1 << 20;

  private static long ofState(long state, long free, int ranks) {
    return LogRoom.of(state * MIB, free * MIB, ranks, () -> Long.MAX_VALUE) / MIB;
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
  void aLineIsBegunOnceHalfOfItIsUsed() {
    assertThat(LogRoom.isPressed(8 * MIB, 16 * MIB)).isFalse();
    assertThat(LogRoom.isPressed(8 * MIB + 1, 16 * MIB)).isTrue();
    assertThat(LogRoom.isPressed(0, LogRoom.NONE)).as("without a log").isFalse();
  }

  @Test
  void checkpointsThatAreTakenEarlyCostASixteenthAtMost() {
    assertThat(LogRoom.isWorthwhile(10, 160)).isTrue();
    assertThat(LogRoom.isWorthwhile(10, 159)).isFalse();
    assertThat(LogRoom.isWorthwhile(0, 0)).as("not measured").isTrue();
  }

  @Test
  void whatIsNeededFollowsFromWhatWasSentUpToNow() {
    assertThat(LogRoom.needed(17 * MIB, 4, 10)).isEqualTo(42 * MIB + MIB / 2);
    assertThat(LogRoom.needed(17 * MIB, 4, 2)).as("the checkpoint is late").isEqualTo(17 * MIB);
    assertThat(LogRoom.needed(17 * MIB, 4, 0)).as("begun at half").isEqualTo(34 * MIB);
    assertThat(LogRoom.free(4)).isEqualTo(320 * MIB);
  }

  @Test
  void leavesHalfOfTheDirectMemoryToTheProgram() {
    LongSupplier little = () -> 200 * MIB;
    assertThat(LogRoom.of(300 * MIB, 10_000 * MIB, 4, little)).isEqualTo(100 * MIB);
    assertThat(LogRoom.of(90 * MIB, 10_000 * MIB, 4, little)).isEqualTo(90 * MIB);
    assertThat(LogRoom.of(300 * MIB, 10_000 * MIB, 4, () -> 0)).isEqualTo(LogRoom.LEAST);
  }

  @Test
  void whatIsLeftOfTheDirectMemoryIsAskedForIfItMatters() {
    LongSupplier never =
        () -> {
          throw new AssertionError("asked");
        };
    assertThat(LogRoom.of(MIB, 10_000 * MIB, 4, never)).isEqualTo(LogRoom.LEAST);
    assertThat(LogRoom.of(300 * MIB, 319 * MIB, 4, never)).isEqualTo(LogRoom.NONE);
  }

  @Test
  void directBuffersTakeOfTheDirectMemory() {
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) MIB);
    try {
      // Not beside what was left before: a collector may free what other tests have taken.
      assertThat(DirectMemory.left())
          .isBetween(0L, Runtime.getRuntime().maxMemory() - buffer.capacity());
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }
}
