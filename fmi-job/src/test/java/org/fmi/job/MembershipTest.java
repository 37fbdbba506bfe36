package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Agreement;
import org.fmi.job.Membership.Answer;
import org.fmi.job.Membership.Disagreement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agreements in all orders of what ranks ask and of their deaths. */
final class MembershipTest {
  /**
   * One rank asks for its next agreement, or dies.
   *
   * @param dies whether it dies
   */
  private record Step(int rank, boolean dies) {}

  private static long bits(int... ranks) {
    return IntStream.of(ranks).mapToLong(r -> 1L << r).sum();
  }

  private static BitSet set(int... ranks) {
    return BitSet.valueOf(new long[] {bits(ranks)});
  }

  private static RankMessage.Agrees agrees(
      int communicator, int call, Agreement kind, long members, long flags, int nextId) {
    return new RankMessage.Agrees(communicator, call, kind, new long[] {members}, flags, nextId);
  }

  /** Each rank lacks its own bit in each of its calls, and another one in the second. */
  private static long flagsOf(int rank, int call) {
    return ~((1L << rank) | ((long) call << (8 + rank)));
  }

  private static int idOf(int rank, int call) {
    return 10 * (call + 1) + (rank * 7) % 5;
  }

  /** What a simple model says: an agreement is over when no living member is left to ask. */
  private static final class Model {
    private final int ranks;
    private final int[] asked;
    private final boolean[] waits;
    private final boolean[] dead;
    private final List<List<Integer>> askedFor = new ArrayList<>();
    private long deaths;

    Model(int ranks, int calls) {
      this.ranks = ranks;
      this.asked = new int[ranks];
      this.waits = new boolean[ranks];
      this.dead = new boolean[ranks];
      for (int call = 0; call < calls; call++) {
        askedFor.add(new ArrayList<>());
      }
    }

    boolean can(Step step, int calls) {
      int r = step.rank;
      return !dead[r] && (step.dies || (!waits[r] && asked[r] < calls));
    }

    /** The expected answers to a step. */
    List<Answer> take(Step step) {
      int r = step.rank;
      if (step.dies) {
        dead[r] = true;
        deaths++;
      } else {
        askedFor.get(asked[r]++).add(r);
        waits[r] = true;
      }
      List<Answer> answers = new ArrayList<>();
      for (int call = 0; call < askedFor.size(); call++) {
        List<Integer> those = askedFor.get(call);
        int[] living = IntStream.range(0, ranks).filter(other -> !dead[other]).toArray();
        boolean open = IntStream.of(living).anyMatch(other -> waits[other]);
        int number = call;
        if (living.length > 0
            && open
            && !those.isEmpty()
            && IntStream.of(living).allMatch(other -> waits[other] && asked[other] == number + 1)) {
          long flags =
              those.stream().mapToLong(o -> flagsOf(o, number)).reduce(-1, (a, b) -> a & b);
          int id = those.stream().mapToInt(o -> idOf(o, number)).max().orElseThrow();
          answers.add(new Answer(new JobMessage.Agreed(3, call, flags, deaths, id), set(living)));
          for (int other : living) {
            waits[other] = false;
          }
        }
      }
      return answers;
    }
  }

  private long sequences;

  /** Replays a sequence, compares, and tries all that may follow. */
  private void explore(int ranks, int calls, List<Step> sequence) throws Disagreement {
    sequences++;
    Membership membership = new Membership();
    Model model = new Model(ranks, calls);
    int[] next = new int[ranks];
    long members = (1L << ranks) - 1;
    for (Step step : sequence) {
      int r = step.rank;
      List<Answer> expected = model.take(step);
      List<Answer> answers =
          step.dies
              ? membership.died(r)
              : membership.asks(
                  r,
                  agrees(
                      3,
                      next[r],
                      next[r] % 2 == 0 ? Agreement.AGREE : Agreement.SHRINK,
                      members,
                      flagsOf(r, next[r]),
                      idOf(r, next[r]++)));
      assertThat(answers).as("%s", sequence).isEqualTo(expected);
    }
    for (int r = 0; r < ranks; r++) {
      for (boolean dies : new boolean[] {false, true}) {
        Step step = new Step(r, dies);
        if (model.can(step, calls)) {
          sequence.add(step);
          explore(ranks, calls, sequence);
          sequence.removeLast();
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "2, 3", "3, 2", "4, 1"})
  void agreementsHaveOneOutcomeInAllOrders(int ranks, int calls) throws Disagreement {
    explore(ranks, calls, new ArrayList<>());
    assertThat(sequences).isGreaterThan((long) ranks * calls);
  }

  @Test
  void halvesOfOneIdAgreeByThemselves() throws Disagreement {
    Membership membership = new Membership();
    assertThat(membership.asks(0, agrees(5, 0, Agreement.AGREE, bits(0, 2), 6, 1))).isEmpty();
    assertThat(membership.asks(1, agrees(5, 0, Agreement.SHRINK, bits(1, 3), 7, 1))).isEmpty();
    assertThat(membership.asks(3, agrees(5, 0, Agreement.SHRINK, bits(1, 3), 5, 2)))
        .containsExactly(new Answer(new JobMessage.Agreed(5, 0, 5, 0, 2), set(1, 3)));
    assertThat(membership.died(2))
        .containsExactly(new Answer(new JobMessage.Agreed(5, 0, 6, 1, 1), set(0)));
  }

  @Test
  void oneDeathMayCompleteSeveral() throws Disagreement {
    Membership membership = new Membership();
    assertThat(membership.asks(0, agrees(1, 4, Agreement.AGREE, bits(0, 2), 1, 1))).isEmpty();
    assertThat(membership.asks(1, agrees(2, 0, Agreement.SHRINK, bits(1, 2), 3, 8))).isEmpty();
    assertThat(membership.died(2))
        .containsExactly(
            new Answer(new JobMessage.Agreed(1, 4, 1, 1, 1), set(0)),
            new Answer(new JobMessage.Agreed(2, 0, 3, 1, 8), set(1)));
    assertThat(membership.deaths()).isEqualTo(1);
    assertThat(membership.isDead(2)).isTrue();
    assertThat(membership.isDead(1)).isFalse();
  }

  @Test
  void differentCallsAreAFaultOfTheProgram() throws Disagreement {
    Membership membership = new Membership();
    assertThat(membership.asks(1, agrees(0, 2, Agreement.SHRINK, bits(0, 1), 1, 1))).isEmpty();
    assertThatThrownBy(() -> membership.asks(0, agrees(0, 2, Agreement.AGREE, bits(0, 1), 1, 1)))
        .isInstanceOf(Disagreement.class)
        .hasMessageStartingWith("rank 0 calls agree while rank 1 calls shrink on the same");
  }

  @Test
  void aRevocationIsToldOnceToLivingMembers() {
    Membership membership = new Membership();
    assertThat(membership.died(1)).isEmpty();
    long[] members = {bits(0, 1, 3)};
    assertThat(membership.revokes(new RankMessage.Revokes(7, members)))
        .containsExactly(new Answer(new JobMessage.Revoked(7), set(0, 3)));
    assertThat(membership.revokes(new RankMessage.Revokes(7, members))).isEmpty();
    // Another communicator of the same id.
    assertThat(membership.revokes(new RankMessage.Revokes(7, new long[] {bits(2, 4)})))
        .containsExactly(new Answer(new JobMessage.Revoked(7), set(2, 4)));
  }
}
