package org.fmi.core.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;
import org.junit.jupiter.api.Test;

class RankGroupTest {
  private final Group world = RankGroup.world(8, 2);

  private static int[] members(Group group) {
    return ((RankGroup) group).worldRanks();
  }

  private static void assertFails(ErrorClass error, String hint, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FmiException.class, e -> assertThat(e.errorClass()).isEqualTo(error))
        .hasMessageContaining(hint);
  }

  @Test
  void theWorldHasAllRanks() {
    assertThat(members(world)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(world.size()).isEqualTo(8);
    assertThat(world.rank()).isEqualTo(2);
  }

  @Test
  void includesInTheOrderGiven() {
    Group g = world.incl(5, 2, 0);
    assertThat(members(g)).containsExactly(5, 2, 0);
    assertThat(g.rank()).isEqualTo(1);
    assertThat(members(g.incl(2, 0))).containsExactly(0, 5);
    assertThat(g.incl(2, 0).rank()).isEqualTo(Comm.UNDEFINED);
    assertThat(world.incl().size()).isZero();
  }

  @Test
  void excludesKeepingTheOrder() {
    assertThat(members(world.incl(5, 2, 0, 7).excl(1, 3))).containsExactly(5, 0);
    assertThat(members(world.excl())).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(members(world.excl(0, 1, 2, 3, 4, 5, 6, 7))).isEmpty();
  }

  @Test
  void rangesAreTriplets() {
    assertThat(members(world.rangeIncl(new int[][] {{0, 5, 2}, {7, 5, -1}})))
        .containsExactly(0, 2, 4, 7, 6, 5);
    assertThat(members(world.rangeIncl(new int[][] {{3, 3, 9}}))).containsExactly(3);
    assertThat(members(world.rangeIncl(new int[0][]))).isEmpty();
    assertThat(members(world.rangeExcl(new int[][] {{0, 6, 3}, {7, 7, 1}})))
        .containsExactly(1, 2, 4, 5);
    assertThat(members(world.rangeIncl(new int[][] {{1, 7, Integer.MAX_VALUE}})))
        .containsExactly(1);
  }

  @Test
  void onlyTheRanksOfARangeMustBeThere() {
    Group five = world.excl(5, 6, 7);
    assertThat(members(five.rangeIncl(new int[][] {{0, 5, 2}}))).containsExactly(0, 2, 4);
    assertThat(members(five.rangeExcl(new int[][] {{0, 5, 2}}))).containsExactly(1, 3);
    assertThat(members(five.rangeIncl(new int[][] {{4, -1, -3}}))).containsExactly(4, 1);
    int far = Integer.MAX_VALUE;
    assertThat(members(five.rangeIncl(new int[][] {{1, far, far}}))).containsExactly(1);
    int back = Integer.MIN_VALUE;
    assertThat(members(five.rangeIncl(new int[][] {{1, back + 2, back}}))).containsExactly(1);
    assertFails(ErrorClass.RANK, "rank 6", () -> five.rangeIncl(new int[][] {{0, 7, 3}}));
    assertFails(ErrorClass.RANK, "rank -2", () -> five.rangeIncl(new int[][] {{4, -3, -3}}));
    assertFails(ErrorClass.RANK, "rank 5", () -> five.rangeIncl(new int[][] {{5, 5, 1}}));
  }

  @Test
  void setOperationsKeepTheFirstGroupsOrder() {
    Group a = world.incl(4, 1, 3);
    Group b = world.incl(3, 6, 4, 0);
    assertThat(members(a.union(b))).containsExactly(4, 1, 3, 6, 0);
    assertThat(members(a.intersection(b))).containsExactly(4, 3);
    assertThat(members(b.intersection(a))).containsExactly(3, 4);
    assertThat(members(a.difference(b))).containsExactly(1);
    assertThat(members(a.difference(a))).isEmpty();
    assertThat(members(a.union(world.incl()))).containsExactly(4, 1, 3);
  }

  @Test
  void compares() {
    Group a = world.incl(4, 1, 3);
    assertThat(a.compare(world.incl(4, 1, 3))).isEqualTo(Group.Comparison.IDENT);
    assertThat(a.compare(world.incl(1, 3, 4))).isEqualTo(Group.Comparison.SIMILAR);
    assertThat(a.compare(world.incl(1, 3, 5))).isEqualTo(Group.Comparison.UNEQUAL);
    assertThat(a.compare(world.incl(4, 1))).isEqualTo(Group.Comparison.UNEQUAL);
    assertThat(world.incl().compare(world.incl())).isEqualTo(Group.Comparison.IDENT);
  }

  @Test
  void translatesRanks() {
    Group a = world.incl(4, 1, 3);
    Group b = world.incl(3, 6, 4);
    assertThat(a.translateRanks(new int[] {0, 1, 2, Comm.PROC_NULL}, b))
        .containsExactly(2, Comm.UNDEFINED, 0, Comm.PROC_NULL);
    assertThat(world.translateRanks(new int[] {7}, a)).containsExactly(Comm.UNDEFINED);
  }

  @Test
  void refusesWhatDoesNotFit() {
    Group a = world.incl(4, 1, 3);
    assertFails(ErrorClass.RANK, "rank 3", () -> a.incl(3));
    assertFails(ErrorClass.RANK, "rank -1", () -> a.excl(-1));
    assertFails(ErrorClass.RANK, "twice", () -> a.incl(1, 1));
    assertFails(ErrorClass.RANK, "twice", () -> a.excl(0, 2, 0));
    assertFails(ErrorClass.RANK, "rank 0", () -> world.incl().incl(0));
    assertFails(ErrorClass.RANK, "rank 5", () -> a.translateRanks(new int[] {5}, world));
    assertFails(ErrorClass.RANK, "rank 9", () -> a.rangeIncl(new int[][] {{0, 9, 1}}));
    assertFails(ErrorClass.RANK, "twice", () -> a.rangeIncl(new int[][] {{0, 2, 1}, {2, 2, 1}}));
    assertFails(ErrorClass.ARG, "stride", () -> a.rangeIncl(new int[][] {{0, 2, 0}}));
    assertFails(ErrorClass.ARG, "triplet", () -> a.rangeExcl(new int[][] {{0, 2}}));
    assertFails(ErrorClass.ARG, "never", () -> a.rangeIncl(new int[][] {{2, 0, 1}}));
    assertFails(ErrorClass.ARG, "never", () -> a.rangeIncl(new int[][] {{0, 2, -1}}));
  }
}
