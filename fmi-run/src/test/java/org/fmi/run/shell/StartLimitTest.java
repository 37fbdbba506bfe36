package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.fmi.rules.TimeWithCore.Look;
import org.fmi.run.shell.StartLimit.Verdict;
import org.junit.jupiter.api.Test;

/** On a clock of the test's own. */
final class StartLimitTest {
  private static final Look HANGS = new Look(false, 0);
  private static final Look STARVED = new Look(true, 0);
  private static final String MACHINE = "load 149 on 2 cores";

  private final StartLimit limit = new StartLimit(60_000, 0);
  private long now;

  private Verdict look(Look look) {
    now += limit.pauseNanos();
    return limit.look(now, look);
  }

  @Test
  void aDaemonThatHangsIsGivenUpAfterTheLimit() {
    while (look(HANGS) == Verdict.WAITS) {}
    assertThat(now).isEqualTo(TimeUnit.SECONDS.toNanos(60));
    assertThat(limit.problem(MACHINE))
        .isEqualTo("its daemon did not start within 60 s (--start-timeout)");
  }

  @Test
  void oneThatWaitsForACoreIsNotAndTheUserIsToldOnce() {
    while (look(STARVED) == Verdict.WAITS) {}
    assertThat(now).isEqualTo(TimeUnit.SECONDS.toNanos(15));
    while (now < TimeUnit.MINUTES.toNanos(20)) {
      assertThat(look(STARVED)).isEqualTo(Verdict.WAITS);
    }
    assertThat(StartLimit.delay(MACHINE))
        .isEqualTo(
            " starts slowly because this machine is overloaded (load 149 on 2 cores); the job waits"
                + " for it. Stop other work here, or use fewer ranks");
  }

  @Test
  void oneThatHangsOnAnOverloadedMachineIsGivenUpAndTheUserReadsBoth() {
    for (int i = 0; i < 8; i++) {
      look(STARVED);
    }
    while (look(HANGS) != Verdict.IS_OVER) {}
    assertThat(limit.problem(MACHINE))
        .isEqualTo(
            "its daemon did not start within 60 s (--start-timeout), not counting 30 s"
                + " in which it waited for a core; this machine is overloaded (load 149 on 2"
                + " cores)");
  }

  @Test
  void whoLooksLateIsStarvedItself() {
    for (int i = 0; i < 15; i++) {
      now += TimeUnit.MINUTES.toNanos(5);
      assertThat(limit.look(now, HANGS)).isNotEqualTo(Verdict.IS_OVER);
    }
  }
}
