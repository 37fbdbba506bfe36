package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicReference;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.junit.jupiter.api.Test;

/** Two threads of a rank in calls at once both get an error. */
class TwoThreadsTest {
  private static final int CONTEXT = 0;

  private interface Call {
    void run(Messenger m, byte[] box);
  }

  /**
   * Another thread repeats a call that has no effect if it comes early, until the first thread
   * waits.
   */
  private static void assertBothFail(Call waiting) {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          if (m.rank() == 0) {
            AtomicReference<Throwable> told = new AtomicReference<>();
            Thread other =
                Thread.ofPlatform()
                    .name("helper")
                    .start(
                        () -> {
                          try {
                            while (true) {
                              m.share();
                            }
                          } catch (IllegalStateException e) {
                            told.set(e);
                          }
                        });
            assertThatThrownBy(() -> waiting.run(m, new byte[8]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("two threads of rank 0 are in calls at once: \"helper\"");
            other.join();
            assertThat(told.get()).hasMessageContaining("only one thread at a time");
          }
        });
  }

  @Test
  void inAReceive() {
    assertBothFail((m, box) -> m.recv(box, 0, 8, 1, CONTEXT, 1));
  }

  @Test
  void inAProbe() {
    assertBothFail((m, box) -> m.probe(1, CONTEXT, 1));
  }

  @Test
  void inARequest() {
    assertBothFail((m, box) -> m.irecv(box, 0, 8, 1, CONTEXT, 1).waitFor());
  }

  /** The thread of listeners is refused although no other thread waits, and disturbs none. */
  @Test
  void aListenerMayNotCall() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          AtomicReference<Throwable> told = new AtomicReference<>();
          Thread listener =
              Thread.ofPlatform()
                  .unstarted(
                      () -> {
                        try {
                          m.check();
                        } catch (IllegalStateException e) {
                          told.set(e);
                        }
                      });
          m.refuse(listener);
          listener.start();
          listener.join();
          assertThat(told.get())
              .hasMessageContaining("a listener of Fmi.listen communicates at rank " + m.rank());
          byte[] box = new byte[8];
          int other = 1 - m.rank();
          m.send(box, 0, 8, other, CONTEXT, 1, Mode.STANDARD);
          assertThat(m.recv(box, 0, 8, other, CONTEXT, 1).bytes()).isEqualTo(8);
        });
  }

  /** One thread calls, and then another one. */
  @Test
  void takingTurnsIsAllowed() {
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          for (int i = 0; i < 100; i++) {
            Thread next =
                Thread.ofPlatform()
                    .start(
                        () -> {
                          byte[] box = new byte[8];
                          if (m.rank() == 0) {
                            m.send(box, 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
                            m.recv(box, 0, 8, 1, CONTEXT, 2);
                          } else {
                            m.recv(box, 0, 8, 0, CONTEXT, 1);
                            m.send(box, 0, 8, 0, CONTEXT, 2, Mode.STANDARD);
                          }
                        });
            next.join();
          }
        });
  }
}
