package org.fmi.logring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WindowTest {
  /** One side of a link whose wire delays frames. */
  private static final class Side {
    final Window window = new Window();

    /** The contents of the frames in flight to this side. */
    final ArrayDeque<Integer> inFlight = new ArrayDeque<>();

    int completable;

    void send(Side to) {
      window.send();
      to.inFlight.add(window.granted());
      completable++;
    }

    void take() {
      window.arrived(inFlight.remove());
    }
  }

  @Test
  void noFrameEverFindsNoBufferWhateverTheTiming() {
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Side[] sides = {new Side(), new Side()};
      int taken = 0;
      for (int step = 0; step < 2000; step++) {
        int from = random.nextInt(2);
        Side side = sides[from];
        switch (random.nextInt(3)) {
          case 0 -> {
            if (side.window.room() > 0) {
              side.send(sides[1 - from]);
            }
          }
          case 1 -> {
            if (!side.inFlight.isEmpty()) {
              side.take();
              taken++;
            }
          }
          default -> {
            if (side.completable > 0) {
              side.completable--;
              side.window.completed();
            }
          }
        }
        for (Side s : sides) {
          assertThat(s.inFlight.size()).as("seed %s", seed).isLessThanOrEqualTo(Window.FRAMES);
          assertThat(s.window.outstanding()).as("seed %s", seed).isBetween(0, Window.FRAMES);
        }
      }
      assertThat(taken).as("seed %s", seed).isGreaterThan(100);
    }
  }

  @Test
  void heartbeatsLeaveRoomForANoticeAndAGoodbye() {
    Side a = new Side();
    Side b = new Side();
    int beats = 0;
    while (a.window.hasRoomForBeat()) {
      a.send(b);
      a.window.completed();
      beats++;
    }
    assertThat(beats).isEqualTo(Window.FRAMES - 2);
    assertThat(a.window.room()).isEqualTo(2);
    // The other side lives: it has taken the frames, and sends heartbeats.
    while (!b.inFlight.isEmpty()) {
      b.take();
    }
    b.send(a);
    a.take();
    assertThat(a.window.hasRoomForBeat()).isTrue();
  }

  @Test
  void aFrameOnItsWayOutKeepsItsPlace() {
    Side a = new Side();
    Side b = new Side();
    for (int i = 0; i < Window.FRAMES; i++) {
      assertThat(a.window.send()).isEqualTo(i);
      b.window.arrived(a.window.granted());
    }
    a.window.arrived(b.window.granted());
    assertThat(a.window.room()).as("none has completed").isZero();
    a.window.completed();
    assertThat(a.window.room()).isEqualTo(1);
    assertThat(a.window.send()).isZero();
  }
}
