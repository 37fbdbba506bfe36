package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GroupsTest {

  private static void assertOnDifferentNodes(int[] nodeOf, int[][] groups) {
    for (int r = 0; r < nodeOf.length; r++) {
      int[] group = groups[r];
      assertThat(group).contains(r).isSorted();
      assertThat(Arrays.stream(group).map(m -> nodeOf[m]).distinct().count())
          .isEqualTo(group.length);
      for (int member : group) {
        assertThat(groups[member]).isEqualTo(group);
      }
    }
  }

  private static int smallest(int[][] groups) {
    return Arrays.stream(groups).mapToInt(group -> group.length).min().orElseThrow();
  }

  @Test
  void membersSitOnDifferentNodes() {
    for (long seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      int[] nodeOf = new int[1 + random.nextInt(40)];
      int ppn = 1 + random.nextInt(5);
      for (int r = 0; r < nodeOf.length; r++) {
        nodeOf[r] = random.nextInt(4) == 0 ? random.nextInt(nodeOf.length) : r / ppn;
      }
      int size = 2 + random.nextInt(8);
      int losses = random.nextInt(4);
      int[][] groups = Groups.form(nodeOf, size, losses);
      assertOnDifferentNodes(nodeOf, groups);
      int carried = Groups.carried(nodeOf, losses);
      assertThat(smallest(groups)).as("seed %d", seed).isGreaterThan(carried);
      if (carried < losses) {
        // No other groups would do: those of the fullest node are all different.
        assertThat(smallest(groups)).as("seed %d", seed).isEqualTo(carried + 1);
      }
    }
  }

  @Test
  void sizesAreEvenAndAtMostWhatIsAskedFor() {
    for (int nodes = 1; nodes <= 40; nodes++) {
      for (int ppn = 1; ppn <= 4; ppn++) {
        int[] nodeOf = new int[nodes * ppn];
        for (int r = 0; r < nodeOf.length; r++) {
          nodeOf[r] = r / ppn;
        }
        int[][] groups = Groups.form(nodeOf, 16, Math.min(1, nodes - 1));
        assertOnDifferentNodes(nodeOf, groups);
        int largest = Arrays.stream(groups).mapToInt(group -> group.length).max().orElseThrow();
        assertThat(largest).isLessThanOrEqualTo(16);
        assertThat(largest - smallest(groups)).isLessThanOrEqualTo(1);
      }
    }
  }

  @Test
  void aGroupIsLargerThanAskedForWhereItWouldElseBeTooSmall() {
    int[] nodeOf = {0, 1, 2, 3, 4};
    assertThat(Groups.form(nodeOf, 3, 1)[0]).containsExactly(0, 1);
    assertThat(Groups.form(nodeOf, 3, 2)[0]).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void whatNodesCarry() {
    assertThat(Groups.carried(new int[] {0, 0, 0, 0}, 1)).isZero();
    assertThat(Groups.carried(new int[] {0, 0, 0, 1}, 3)).isZero();
    assertThat(Groups.carried(new int[] {0, 1}, 3)).isEqualTo(1);
    assertThat(Groups.carried(new int[] {0, 0, 1, 1, 2}, 3)).isEqualTo(1);
    assertThat(Groups.carried(new int[] {0, 0, 1, 1, 2, 2}, 3)).isEqualTo(2);
    assertThat(Groups.carried(new int[] {0, 1, 2, 3, 4}, 3)).isEqualTo(3);
    assertThat(Groups.carried(new int[] {0, 0, 0, 1, 2}, 3)).isZero();
    assertThat(Groups.carried(new int[] {0, 0, 1, 2}, 3)).isEqualTo(1);
  }
}
