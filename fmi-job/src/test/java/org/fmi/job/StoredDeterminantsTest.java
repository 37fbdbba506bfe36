package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.fmi.control.RankMessage;
import org.junit.jupiter.api.Test;

/** What is kept of a rank while it may go back to one checkpoint or the next. */
final class StoredDeterminantsTest {
  private final StoredDeterminants kept = new StoredDeterminants(1000);

  private void tells(long committed, long version, int first, long... determinants) {
    kept.store(new RankMessage.Determinants(0, committed, version, first, determinants));
  }

  @Test
  void bothAreKeptWhileACheckpointIsUnderWay() {
    tells(4, 4, 0, 1, 2);
    tells(4, 4, 2, 3);
    tells(4, 5, 0, 3);
    tells(4, 4, 3, 4);
    tells(4, 5, 1, 4);
    assertThat(kept.since(4, 0)).containsExactly(1, 2, 3, 4);
    assertThat(kept.since(5, 0)).containsExactly(3, 4);
    tells(5, 5, 2, 5);
    tells(5, 6, 0);
    assertThat(kept.since(5, 0)).containsExactly(3, 4, 5);
    assertThat(kept.since(4, 0)).isEmpty();
    assertThat(kept.since(5, 1)).isEmpty();
  }

  /** Some of it is told by its rank, some by those that have heard of it, in any order. */
  @Test
  void whatIsToldTwiceIsKeptOnce() {
    tells(4, 4, 0, 1, 2, 3);
    tells(4, 4, 1, 2);
    tells(4, 4, 2, 3, 4, 5);
    tells(4, 4, 0, 1, 2, 3, 4);
    tells(4, 4, 5, 6);
    assertThat(kept.since(4, 0)).containsExactly(1, 2, 3, 4, 5, 6);
  }

  /** Whoever tells of another rank may not know yet that a checkpoint is complete. */
  @Test
  void ofTheCheckpointBeforeMoreMayBeTold() {
    tells(4, 4, 0, 1);
    tells(5, 5, 0, 3);
    tells(4, 4, 1, 2);
    assertThat(kept.since(5, 0)).containsExactly(3);
    tells(5, 5, 1, 4);
    assertThat(kept.since(5, 0)).containsExactly(3, 4);
    assertThat(kept.since(4, 0)).isEmpty();
  }

  /** The next one has another version. */
  @Test
  void oneThatIsGivenUpIsForgotten() {
    tells(4, 4, 0, 1);
    tells(4, 5, 0, 1);
    tells(4, 4, 1, 2);
    tells(4, 6, 0, 2);
    assertThat(kept.since(4, 0)).containsExactly(1, 2);
    tells(6, 6, 1, 3);
    assertThat(kept.since(5, 0)).isEmpty();
    assertThat(kept.since(6, 0)).containsExactly(2, 3);
  }

  @Test
  void afterAllHaveGoneBackAVersionMayComeAgain() {
    tells(6, 6, 0, 1);
    kept.clear();
    tells(4, 5, 0, 2);
    assertThat(kept.since(5, 0)).containsExactly(2);
  }

  /** The next one has the same version. */
  @Test
  void whoGoesBackBeforeItsCommitBeginsItAnew() {
    tells(4, 4, 0, 1);
    tells(4, 5, 0, 1);
    kept.forgetNewer(4);
    tells(4, 4, 1, 2);
    tells(4, 5, 0, 2);
    assertThat(kept.since(4, 0)).containsExactly(1, 2);
    assertThat(kept.since(5, 0)).containsExactly(2);
  }

  /** Whatever is forgotten makes room again. */
  @Test
  void memoryIsBoundedAndReturned() {
    long[] many = LongStream.range(0, 300).map(i -> (i * i) << 20).toArray();
    for (int round = 0; round < 20; round++) {
      tells(4 + round, 4 + round, 0, 1, 2);
      tells(4 + round, 5 + round, 0, 1, 2);
      assertThat(kept.isComplete(4 + round)).isTrue();
      kept.forgetNewer(4 + round);
    }
    long before = kept.bytes();
    assertThat(kept.store(new RankMessage.Determinants(1, 23, 24, 0, many))).isFalse();
    assertThat(kept.bytes()).isEqualTo(before);
    assertThat(kept.isComplete(24)).isFalse();
    assertThat(kept.isComplete(23)).isTrue();
    assertThat(kept.since(23, 0)).containsExactly(1, 2);
    // What follows is of no use.
    assertThat(kept.store(new RankMessage.Determinants(1, 23, 24, 300, many))).isTrue();
    tells(25, 25, 0, 7);
    assertThat(kept.isComplete(25)).isTrue();
    assertThat(kept.since(25, 0)).containsExactly(7);
    kept.clear();
    assertThat(kept.bytes()).isZero();
  }
}
