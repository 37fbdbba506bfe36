package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.junit.jupiter.api.Test;

/** Blocking calls allocate nothing once they are warm. */
class AllocationTest {
  private static final int WARM_UP = 10_000;
  private static final int MEASURED = 10_000;

  private interface Exchange {
    void once(Messenger m, double[] data, int other);
  }

  @Test
  void eagerPingPong() {
    measure(
        (m, data, other) -> {
          if (m.rank() == 0) {
            m.send(data, 0, 8, other, 0, 1, Mode.STANDARD);
            m.recv(data, 0, 8, other, 0, 1);
          } else {
            m.recv(data, 0, 8, Comm.ANY_SOURCE, 0, Comm.ANY_TAG);
            m.send(data, 0, 8, other, 0, 1, Mode.STANDARD);
          }
        });
  }

  @Test
  void rendezvousPingPong() {
    measure(
        (m, data, other) -> {
          if (m.rank() == 0) {
            m.send(data, 0, 5_000, other, 0, 1, Mode.STANDARD);
            m.recv(data, 0, 5_000, other, 0, 1);
          } else {
            m.recv(data, 0, 5_000, other, 0, 1);
            m.send(data, 0, 5_000, other, 0, 1, Mode.STANDARD);
          }
        });
  }

  @Test
  void messagesThatArriveBeforeTheirReceive() {
    measure(
        (m, data, other) -> {
          m.send(data, 0, 800, other, 0, 1, Mode.STANDARD);
          m.send(data, 0, 80, other, 0, 2, Mode.STANDARD);
          m.recv(data, 0, 80, Comm.ANY_SOURCE, 0, 2);
          m.recv(data, 0, 800, other, 0, Comm.ANY_TAG);
        });
  }

  @Test
  void atOnceInACommunicatorOfSomeRanks() {
    measure(
        m -> {
          Comm world = Communicator.world(m, new ContextIds(), status -> {});
          // The ranks are not those of the world: sources are translated.
          Comm turned = Objects.requireNonNull(world.split(0, -m.rank()));
          int other = 1 - turned.rank();
          double[] in = new double[100];
          return data -> {
            turned.sendRecv(data, 0, 1, other, 1, in, 0, 1, other, 1);
            turned.sendRecv(data, 0, 100, other, 1, in, 0, 100, Comm.ANY_SOURCE, Comm.ANY_TAG);
            turned.send(data, 0, 1, other, 2);
            turned.recv(in, 0, 1, other, 2);
          };
        });
  }

  /** The log is not on the heap. */
  @Test
  void whileALogIsKept() {
    measure(
        m -> {
          m.log(new MessageLog(2, 1 << 20, new CountingJob()));
          m.line(true);
          int other = 1 - m.rank();
          long[] exchanges = new long[1];
          return data -> {
            if (m.rank() == 0) {
              m.send(data, 0, 8, other, 0, 1, Mode.STANDARD);
              m.recv(data, 0, 8, other, 0, 1);
            } else {
              m.recv(data, 0, 8, other, 0, 1);
              m.send(data, 0, 8, other, 0, 1, Mode.STANDARD);
            }
            if (++exchanges[0] % 2_000 == 0) {
              m.line(true); // and the same pieces of memory again
            }
          };
        });
  }

  private interface Program {
    void once(double[] data);
  }

  private interface Programs {
    Program of(Messenger m);
  }

  private static void measure(Exchange exchange) {
    measure(
        m -> {
          int other = 1 - m.rank();
          return data -> exchange.once(m, data, other);
        });
  }

  private static void measure(Programs programs) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Ranks.run(
        2,
        1,
        new Options(1_024, 1_024, 64, 0, 0),
        m -> {
          double[] data = new double[1_000];
          Program program = programs.of(m);
          for (int i = 0; i < WARM_UP; i++) {
            program.once(data);
          }
          long before = threads.getCurrentThreadAllocatedBytes();
          for (int i = 0; i < MEASURED; i++) {
            program.once(data);
          }
          long bytes = threads.getCurrentThreadAllocatedBytes() - before;
          assertThat((double) bytes / MEASURED).as("bytes an exchange").isLessThan(1);
        });
  }
}
