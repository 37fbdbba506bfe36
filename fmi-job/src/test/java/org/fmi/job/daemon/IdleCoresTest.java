package org.fmi.job.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IdleCoresTest {
  private static final int MEGAHERTZ = 1200;

  private final List<DaemonCommand> commands = new ArrayList<>();
  private final IdleCores cores = new IdleCores(commands::add);

  private void assertSlow(Integer... numbers) {
    assertThat(commands).containsExactly(new DaemonCommand.SlowDown(List.of(numbers), MEGAHERTZ));
    commands.clear();
  }

  private void assertAsBefore() {
    assertThat(commands).isEmpty();
  }

  @Test
  void coresOfThoseWhoWaitRunSlowly() {
    cores.limit(MEGAHERTZ);
    cores.spawned(4, new int[] {0, 1});
    cores.spawned(5, new int[] {2, 3});
    assertAsBefore();
    cores.waits(4);
    assertSlow(0, 1);
    cores.waits(4);
    assertAsBefore();
    cores.waits(5);
    assertSlow(0, 1, 2, 3);
    cores.works(4);
    assertSlow(2, 3);
    cores.works(5);
    assertSlow();
    cores.works(5);
    assertAsBefore();
  }

  @Test
  void aCoreThatSomebodyNeedsIsNotSlow() {
    cores.limit(MEGAHERTZ);
    cores.spawned(0, new int[] {0, 1});
    cores.spawned(1, new int[] {1, 2});
    cores.waits(0);
    assertSlow(0);
    cores.waits(1);
    assertSlow(0, 1, 2);
    // A rank of a lost node is put beyond the slots, and shares a core with one that waits.
    cores.spawned(7, new int[] {2});
    assertSlow(0, 1);
    cores.gone(7);
    assertSlow(0, 1, 2);
  }

  @Test
  void aProcessThatReplacesAnotherHasToBeFast() {
    cores.limit(MEGAHERTZ);
    cores.spawned(0, new int[] {0});
    cores.waits(0);
    assertSlow(0);
    cores.gone(0);
    assertSlow();
    cores.waits(0);
    assertAsBefore();
    cores.spawned(0, new int[] {0});
    assertAsBefore();
  }

  @Test
  void whatIsNotBoundSlowsDownNothing() {
    cores.limit(MEGAHERTZ);
    cores.spawned(0, new int[0]);
    cores.waits(0);
    assertAsBefore();
  }

  @Test
  void allIsFastUnlessTheUserWantsOtherwise() {
    cores.spawned(0, new int[] {0});
    cores.waits(0);
    assertAsBefore();
  }
}
