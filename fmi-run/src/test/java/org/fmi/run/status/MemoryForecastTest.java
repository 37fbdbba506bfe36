package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.control.RankReport;
import org.fmi.run.status.JobView.Rank;
import org.junit.jupiter.api.Test;

/** Two ranks on each of two nodes. Amounts are in MiB. */
final class MemoryForecastTest {
  private static final long MIB = 1 << 20;

  private final List<Rank> ranks = List.of(rank(0), rank(0), rank(1), rank(1));
  private final MemoryForecast forecast = new MemoryForecast(false, false);

  /** In MiB, how long a rank's log may be. */
  private long log = 0;

  private static Rank rank(int node) {
    Rank rank = new Rank();
    rank.node = node;
    return rank;
  }

  private void shows(int rank, long loop, long willTake, long taken, long free) {
    ranks.get(rank).report =
        new RankReport(
            0,
            "in a loop",
            loop,
            0,
            -1,
            null,
            Map.of(
                Counter.CHECKPOINT_FORECAST_BYTES, willTake * MIB,
                Counter.CHECKPOINT_MEMORY_BYTES, taken * MIB,
                Counter.LOG_LIMIT_BYTES, log * MIB,
                Counter.LOG_BYTES, 10 * MIB,
                Counter.NODE_MEMORY_FREE_BYTES, free * MIB),
            List.of());
  }

  private List<String> look(boolean all) {
    return forecast.look(ranks, 0, "alpha", all);
  }

  @Test
  void warnsOfTooLittle() {
    shows(0, 0, 200, 100, 150);
    shows(1, 0, 200, 100, 150);
    assertThat(look(false)).as("may be of different moments").isEmpty();
    assertThat(look(false))
        .containsExactly(
            "checkpoints of 2 ranks on alpha will take 400 MiB (200 MiB so far), 150 MiB are free:"
                + " a checkpoint that does not fit will be skipped; use fewer ranks per node"
                + " (--ppn), a smaller state, more memory in /dev/shm, or a disk (--node-dir)");
    assertThat(look(false)).as("told already").isEmpty();
    shows(0, 1, 300, 100, 150);
    shows(1, 1, 300, 100, 150);
    look(false);
    assertThat(look(false)).as("another loop").hasSize(1);
  }

  @Test
  void warnsOfTooLittleBesideLogs() {
    log = 160;
    shows(0, 0, 200, 100, 499);
    shows(1, 0, 200, 100, 499);
    assertThat(look(false)).isEmpty();
    assertThat(look(false))
        .singleElement()
        .asString()
        .startsWith(
            "checkpoints of 2 ranks on alpha will take 400 MiB (200 MiB so far), 499 MiB are free:"
                + " not enough besides message logs, which may take another 300 MiB"
                + " (--log-limit); use fewer ranks");
    shows(0, 1, 200, 100, 500);
    shows(1, 1, 200, 100, 500);
    look(false);
    assertThat(look(false)).as("enough for them").isEmpty();
  }

  @Test
  void warnsIfFilesCannotBeWrittenMeanwhile() {
    MemoryForecast toFiles = new MemoryForecast(false, true);
    shows(0, 0, 200, 100, 399);
    shows(1, 0, 200, 100, 399);
    assertThat(toFiles.look(ranks, 0, "alpha", false)).isEmpty();
    assertThat(toFiles.look(ranks, 0, "alpha", false))
        .singleElement()
        .asString()
        .startsWith(
            "checkpoints of 2 ranks on alpha will take 400 MiB (200 MiB so far), 399 MiB are free:"
                + " not enough to keep another checkpoint while files are written, so some will not"
                + " be written; use fewer ranks");
    shows(0, 1, 200, 100, 400);
    shows(1, 1, 200, 100, 400);
    toFiles.look(ranks, 0, "alpha", false);
    assertThat(toFiles.look(ranks, 0, "alpha", false)).as("enough for it").isEmpty();
  }

  @Test
  void tellsOfEnoughWhereThatIsWanted() {
    shows(0, 0, 200, 100, 200);
    shows(1, 0, 200, 100, 200);
    assertThat(look(true)).isEmpty();
    assertThat(look(true))
        .containsExactly(
            "checkpoints of 2 ranks on alpha will take 400 MiB (200 MiB so far), 200 MiB are free");
    assertThat(look(true)).isEmpty();
  }

  @Test
  void isSilentWhereThereIsEnough() {
    shows(0, 0, 200, 100, 200);
    shows(1, 0, 200, 100, 200);
    assertThat(look(false)).isEmpty();
    assertThat(look(false)).isEmpty();
  }

  @Test
  void waitsForAllOfTheMachine() {
    shows(0, 0, 200, 100, 0);
    assertThat(look(false)).isEmpty();
    assertThat(look(false)).as("rank 1 has not begun a checkpoint").isEmpty();
  }

  @Test
  void countsAllNodesOfOneMachineTogether() {
    MemoryForecast ofOne = new MemoryForecast(true, false);
    for (int rank = 0; rank < 4; rank++) {
      shows(rank, 0, 200, 100, 399);
    }
    assertThat(ofOne.look(ranks, 0, "node0", false)).isEmpty();
    assertThat(ofOne.look(ranks, 1, "node1", false))
        .singleElement()
        .asString()
        .startsWith("checkpoints of 4 ranks on this machine will take 800 MiB (400 MiB so far)");
  }
}
