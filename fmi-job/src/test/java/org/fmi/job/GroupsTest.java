package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Their number times that of their groups is more than an int holds. */
  @Test
  void manyNodesInSmallGroups() {
    int[][] groups = Groups.form(IntStream.range(0, 70_000).toArray(), 2, 1);
    assertThat(Arrays.stream(groups).allMatch(group -> group.length == 2)).isTrue();
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

  /** As evenly as there can be, so that a group loses as little as possible with a rack. */
  @Test
  void membersOfAGroupAreInDifferentRacks() {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 500; i++) {
      int nodes = 2 + random.nextInt(30);
      int racks = 1 + random.nextInt(6);
      int size = 2 + random.nextInt(8);
      List<String> rackOf = new ArrayList<>();
      Map<String, Integer> count = new HashMap<>();
      for (int n = 0; n < nodes; n++) {
        String rack = "rack" + random.nextInt(racks);
        rackOf.add(rack);
        count.merge(rack, 1, Integer::sum);
      }
      int[] nodeOf = IntStream.range(0, nodes).toArray();
      int[][] groups = Groups.form(nodeOf, rackOf, size, 1);
      long groupCount = Arrays.stream(groups).distinct().count();
      Set<Integer> members = new HashSet<>();
      for (int r = 0; r < nodes; r++) {
        assertThat(groups[r]).contains(r).hasSizeLessThanOrEqualTo(Math.max(size, 3)).isSorted();
        members.add(r);
        Map<String, Integer> inGroup = new HashMap<>();
        for (int member : groups[r]) {
          inGroup.merge(rackOf.get(member), 1, Integer::sum);
        }
        inGroup.forEach(
            (rack, n) ->
                assertThat(n)
                    .as("%s of %s in groups of %d", rack, rackOf, size)
                    .isLessThanOrEqualTo(
                        Math.ceilDiv(count.getOrDefault(rack, 0), (int) groupCount)));
      }
      assertThat(members).hasSize(nodes);
    }
  }

  @Test
  void saysWhetherARackMayBeLost() {
    int[] nodeOf = {0, 1, 2, 3};
    List<String> two = List.of("a", "a", "b", "b");
    int[][] groups = Groups.form(nodeOf, two, 2, 1);
    assertThat(groups[0]).containsExactly(0, 2);
    assertThat(groups[1]).containsExactly(1, 3);
    assertThat(Groups.surviveRacks(nodeOf, two, groups, 1)).isTrue();
    assertThat(Groups.surviveRacks(nodeOf, two, Groups.form(nodeOf, 2, 1), 1)).isFalse();
    assertThat(Groups.surviveRacks(nodeOf, two, Groups.form(nodeOf, 4, 1), 1)).isFalse();
    assertThat(Groups.surviveRacks(nodeOf, two, Groups.form(nodeOf, 4, 2), 2)).isTrue();
    assertThat(Groups.surviveRacks(nodeOf, List.of("a", "b"), groups, 1))
        .as("not all are known")
        .isFalse();
  }

  @Test
  void sparesAreInDifferentRacks() {
    List<String> racks = List.of("a", "a", "a", "b", "b", "c");
    assertThat(Spares.choose(racks, 0).stream()).isEmpty();
    assertThat(Spares.choose(racks, 2).stream()).containsExactly(4, 5);
    assertThat(Spares.choose(racks, 4).stream()).containsExactly(2, 3, 4, 5);
    assertThat(Spares.choose(List.of("", "", "", ""), 2).stream()).containsExactly(2, 3);
  }

  /** Rank 1 has its node beside that of rank 0; the spare in the other rack comes first. */
  @Test
  void aRankGoesToARackWithoutMembersOfItsGroup() {
    List<JobSpec.Node> nodes =
        List.of(
            new JobSpec.Node("n0", 1, false, "a"),
            new JobSpec.Node("n1", 1, false, "b"),
            new JobSpec.Node("n2", 1, true, "a"),
            new JobSpec.Node("n3", 1, true, "b"));
    JobSpec spec =
        new JobSpec(
            2,
            new JobSpec.Room(nodes, 0, JobSpec.OnNoSpare.SHARE),
            new JobSpec.Grouping(16, 1),
            JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
            List.of());
    for (int lost = 0; lost < 2; lost++) {
      Placement placement = new Placement(spec);
      for (int n = 0; n < nodes.size(); n++) {
        placement.up(n, 1L << 30);
      }
      assertThat(placement.start()).isTrue();
      assertThat(placement.lost(lost)).containsExactly(lost);
      assertThat(placement.choose(lost, false)).isEqualTo(new Placement.Choice.At(lost + 2, false));
    }
  }

  /** One node has so many ranks that the nodes around it must be many; there are 600 tries. */
  @Test
  void aNodeThatIsFullerThanAllOthers() {
    int nodes = 10_000;
    int[] nodeOf = new int[nodes + 99];
    for (int r = 0; r < nodes; r++) {
      nodeOf[r] = r;
    }
    Arrays.fill(nodeOf, nodes, nodeOf.length, nodes / 2);
    int[][] groups = Groups.form(nodeOf, 16, 1);
    assertThat(smallest(groups)).isGreaterThan(1);
    assertThat(groups[nodes / 2]).hasSize(2).contains(nodes / 2);
    assertThat(groups[0].length).isGreaterThan(16);
  }

  /** Of 10,000 nodes, where every question per node or group would be a wall. */
  @ParameterizedTest
  @ValueSource(ints = {100, 10_000})
  void looksAtEachRankOnce(int nodes) {
    AtomicInteger looks = new AtomicInteger();
    int ranks = 2 * nodes;
    int[][] groups =
        Groups.form(
            ranks,
            rank -> {
              looks.incrementAndGet();
              return rank / 2;
            },
            List.of(),
            16,
            1);
    assertThat(groups.length).isEqualTo(ranks);
    assertThat(looks.get()).isEqualTo(ranks);
  }
}
