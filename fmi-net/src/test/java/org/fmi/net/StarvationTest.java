package org.fmi.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Two processes that monitor each other, on the test's clock, with scarce cores. */
class StarvationTest {
  private static final int TIMEOUT = 100;
  private static final int SEEDS = 50;
  private static final int LENGTH = 40 * TIMEOUT;

  /** The state of a process. */
  private enum State {
    RUNS,
    WAITS_FOR_A_CORE,
    IS_STOPPED
  }

  /** A process: reads its input, checks its peer, sends heartbeats; each when it has a core. */
  private static final class End {
    private final Heartbeat heartbeat = new Heartbeat(TIMEOUT, 0);
    private final State[] states = new State[LENGTH + 1];
    private int due = TIMEOUT / 4;
    private boolean arrived;

    /** The time when it suspected its peer; 0 if it has not. */
    private int accused;

    End() {
      Arrays.fill(states, State.RUNS);
    }

    void pause(int from, int to, State state) {
      Arrays.fill(states, Math.min(from, LENGTH), Math.min(to, LENGTH + 1), state);
    }

    void step(int now, End other, boolean seen) {
      if (states[now] != State.RUNS) {
        return;
      }
      if (arrived) {
        arrived = false;
        heartbeat.received(now);
      }
      if (now >= due) {
        due = now + TIMEOUT / 4;
        boolean starved = seen && other.states[now] != State.IS_STOPPED;
        if (heartbeat.silence(now, () -> starved) > 0) {
          accused = now;
        } else {
          other.arrived = true;
        }
      }
    }
  }

  private final End one = new End();
  private final End two = new End();

  /**
   * @param seen whether each sees the system's data about its peer, as on one machine
   */
  private void run(int until, boolean seen) {
    for (int now = 1; now <= until && one.accused == 0 && two.accused == 0; now++) {
      one.step(now, two, seen);
      two.step(now, one, seen);
    }
  }

  private static void pauseNowAndThen(End end, SplittableRandom random, int longest) {
    for (int at = 0; at < LENGTH; ) {
      int from = at + random.nextInt(TIMEOUT);
      at = from + 1 + random.nextInt(longest);
      end.pause(from, at, State.WAITS_FOR_A_CORE);
    }
  }

  @Test
  void shortPausesCauseNoSuspicion() {
    for (int seed = 0; seed < SEEDS; seed++) {
      StarvationTest each = new StarvationTest();
      SplittableRandom random = new SplittableRandom(seed);
      pauseNowAndThen(each.one, random, TIMEOUT / 3);
      pauseNowAndThen(each.two, random, TIMEOUT / 3);
      each.run(LENGTH, false);
      assertThat(each.one.accused + each.two.accused).as("seed %s", seed).isZero();
    }
  }

  @Test
  void starvationOnOneMachineCausesNoSuspicion() {
    for (int seed = 0; seed < SEEDS; seed++) {
      StarvationTest each = new StarvationTest();
      SplittableRandom random = new SplittableRandom(seed);
      pauseNowAndThen(each.one, random, 4 * TIMEOUT);
      pauseNowAndThen(each.two, random, 4 * TIMEOUT);
      each.run(LENGTH, true);
      assertThat(each.one.accused + each.two.accused).as("seed %s", seed).isZero();
    }
  }

  @Test
  void aPauseOfTheMachineCausesNoSuspicion() {
    for (int length = TIMEOUT / 10; length < 20 * TIMEOUT; length += 17) {
      StarvationTest each = new StarvationTest();
      each.one.pause(333, 333 + length, State.IS_STOPPED);
      each.two.pause(333, 333 + length, State.IS_STOPPED);
      each.run(LENGTH, true);
      assertThat(each.one.accused + each.two.accused).as("%s long", length).isZero();
    }
  }

  @Test
  void aStoppedDetectorSuspectsNoPeer() {
    for (int length = TIMEOUT / 10; length < 20 * TIMEOUT; length += 17) {
      StarvationTest each = new StarvationTest();
      each.one.pause(333, 333 + length, State.IS_STOPPED);
      each.run(LENGTH, true);
      assertThat(each.one.accused).as("%s long", length).isZero();
    }
  }

  @Test
  void aStoppedProcessIsFoundInTimeWhateverTheOtherSees() {
    for (int from = 2 * TIMEOUT; from < 4 * TIMEOUT; from += 3) {
      for (boolean seen : new boolean[] {false, true}) {
        StarvationTest each = new StarvationTest();
        each.two.pause(from, LENGTH + 1, State.IS_STOPPED);
        each.run(LENGTH, seen);
        assertThat(each.one.accused - from).isBetween(TIMEOUT / 2, TIMEOUT * 3 / 2);
      }
    }
  }

  @Test
  void aProcessThatIsStoppedWhileAllAreStarvedIsFoundToo() {
    for (int seed = 0; seed < SEEDS; seed++) {
      StarvationTest each = new StarvationTest();
      SplittableRandom random = new SplittableRandom(seed);
      pauseNowAndThen(each.one, random, TIMEOUT / 2);
      int from = 5 * TIMEOUT + random.nextInt(TIMEOUT);
      each.two.pause(from, LENGTH + 1, State.IS_STOPPED);
      each.run(LENGTH, true);
      // It checks four times per timeout and once more, each time late by half a timeout at most.
      assertThat(each.one.accused - from).as("seed %s", seed).isBetween(1, 4 * TIMEOUT);
    }
  }
}
