package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GroupsTest {

  @Test
  void membersSitOnDifferentNodes() {
    for (long seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      int[] nodeOf = new int[1 + random.nextInt(40)];
      int ppn = 1 + random.nextInt(5);
      for (int r = 0; r < nodeOf.length; r++) {
        nodeOf[r] = r / ppn;
      }
      int size = 2 + random.nextInt(8);
      int[][] groups = Groups.form(nodeOf, size);
      for (int r = 0; r < nodeOf.length; r++) {
        int[] group = groups[r];
        assertThat(group).as("seed %d", seed).contains(r).isSorted();
        // a loner may make a group one larger
        assertThat(group.length).as("seed %d", seed).isLessThanOrEqualTo(size + 1);
        assertThat(Arrays.stream(group).map(m -> nodeOf[m]).distinct().count())
            .as("seed %d", seed)
            .isEqualTo(group.length);
        for (int member : group) {
          assertThat(groups[member]).as("seed %d", seed).isEqualTo(group);
        }
      }
      if (nodeOf.length > ppn && nodeOf.length % ppn == 0) {
        for (int[] group : groups) {
          assertThat(group.length).as("seed %d: nobody is unprotected", seed).isGreaterThan(1);
        }
      }
    }
  }
}
