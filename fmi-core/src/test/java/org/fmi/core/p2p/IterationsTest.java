package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.fmi.Comm;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Rollback;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.log.Recording;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives that ranks call in different iterations, by messages and through shared memory. */
final class IterationsTest {
  /** More calls than use messages before memory is shared. */
  private static final int FIRST = 20;

  private static final int LONG = 100_000;

  private interface Program {
    void run(Comm world, Turns turns);
  }

  /** Runs a program on ranks with or without shared memory. */
  private static void run(
      int ranks, boolean oneNode, boolean refuse, List<String> warnings, Program program) {
    MemoryNetwork network =
        oneNode
            ? new MemoryNetwork(ranks, 1, Options.PLAIN, new int[ranks])
            : new MemoryNetwork(ranks, 1, Options.PLAIN);
    List<Messenger> all = new CopyOnWriteArrayList<>();
    Ranks.run(
        network,
        ranks,
        m -> {
          all.add(m);
          Recording p2p = new Recording(m, 1 << 20, () -> {});
          Turns turns = new Turns(refuse, warnings::add);
          p2p.turns(turns);
          try {
            program.run(Communicator.world(p2p, new ContextIds(), status -> {}), turns);
          } catch (FmiException e) {
            warnings.add(e.getMessage());
            all.forEach(each -> each.revoke(each.epoch(), "refused"));
          } catch (Rollback e) {
            // another rank was refused
          }
        },
        "");
  }

  private static long sum(Comm world, int elements) {
    long[] each = new long[elements];
    each[elements - 1] = 1;
    world.allReduce(each, Op.SUM);
    return each[elements - 1];
  }

  /** The sums are right, as the ranks intended; one of the ranks, or both, get one warning. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRankThatLagsIsWarnedOfOnce(boolean oneNode) {
    for (int elements : new int[] {1, LONG}) {
      List<String> warnings = new CopyOnWriteArrayList<>();
      run(
          2,
          oneNode,
          false,
          warnings,
          (world, turns) -> {
            for (int i = 0; i < FIRST; i++) {
              turns.begins(0, i, 0);
              assertThat(sum(world, elements)).isEqualTo(2);
            }
            for (int i = 0; i < 5; i++) {
              turns.begins(0, FIRST + i + world.rank(), 0);
              assertThat(sum(world, elements)).isEqualTo(2);
            }
          });
      assertThat(warnings).hasSizeBetween(1, 2);
      assertThat(warnings.getFirst())
          .contains("allReduce(long[" + elements + "], SUM) in iteration 2")
          .containsAnyOf("in iteration 20 of loop 0 where", "in iteration 21 of loop 0 where");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusedCallThrows(boolean oneNode) {
    List<String> refusals = new CopyOnWriteArrayList<>();
    run(
        2,
        oneNode,
        true,
        refusals,
        (world, turns) -> {
          for (int i = 0; i < FIRST; i++) {
            turns.begins(0, i, 0);
            world.barrier();
          }
          turns.begins(0, FIRST + world.rank(), 0);
          world.barrier();
          world.barrier(); // for the rank that was not refused
        });
    assertThat(refusals).isNotEmpty();
    assertThat(refusals.getFirst())
        .startsWith("MISMATCH: rank ")
        .contains("calls barrier() in iteration 2", "a checkpoint may be taken");
  }

  /** Only ranks in the same call are compared, and not with ranks outside of a loop. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void unmatchedCallsAreNotCompared(boolean oneNode) {
    List<String> warnings = new CopyOnWriteArrayList<>();
    run(
        4,
        oneNode,
        true,
        warnings,
        (world, turns) -> {
          Comm pair = Objects.requireNonNull(world.split(world.rank() / 2, 0));
          for (int i = 0; i < FIRST; i++) {
            turns.begins(0, i + 3L * (world.rank() / 2), 0);
            assertThat(sum(pair, 1)).isEqualTo(2);
          }
          if (world.rank() == 3) {
            turns.ends();
          }
          assertThat(sum(pair, 1)).isEqualTo(2);
          turns.begins(1 + world.rank() % 2, 7L + world.rank(), 0);
          assertThat(sum(pair, 1)).isEqualTo(2);
        });
    assertThat(warnings).isEmpty();
  }
}
