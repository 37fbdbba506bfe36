package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.control.RankReport.Untaken;
import org.fmi.core.comm.Communicator;
import org.fmi.core.comm.ContextIds;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A waiting call, as seen by another thread. */
final class LongWaitTest {
  private static final int WORLD = Contexts.pointToPoint(Contexts.WORLD);

  /** The pause between samples: a wait is seen when it has lasted many times as long. */
  private static final long LOOK_NANOS = 100_000;

  /** A call of one rank. */
  private interface Call {
    void run(Comm world, int[] box);
  }

  private static Comm world(Messenger m) {
    return Communicator.world(m, new ContextIds(), _ -> {});
  }

  /** The wait of rank 0, as seen by rank 1, for an action that rank 1 takes only then. */
  private static LongWait seen(Call waiting, Call answer) {
    AtomicReference<Messenger> waits = new AtomicReference<>();
    AtomicReference<LongWait> seen = new AtomicReference<>();
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          if (m.rank() == 0) {
            assertThat(m.longWait()).isNull();
            waits.set(m);
            m.copies(10 * (4 + FlowLimits.MESSAGE_COST));
            waiting.run(world(m), new int[2]);
            assertThat(m.longWait()).isNull();
          } else {
            while (seen.get() == null) {
              LockSupport.parkNanos(LOOK_NANOS);
              Messenger other = waits.get();
              seen.set(other == null ? null : other.longWait());
            }
            answer.run(world(m), new int[2]);
          }
        });
    return Objects.requireNonNull(seen.get());
  }

  private static void assertSeen(LongWait wait, String call, int peer, int tag, int context) {
    assertThat(wait)
        .usingRecursiveComparison()
        .ignoringFields("sinceNanos")
        .isEqualTo(new LongWait(call, peer, tag, context, 0));
    assertThat(wait.sinceNanos() - System.nanoTime()).isNegative();
  }

  private static void send(Comm world, int[] box) {
    world.send(box, 1 - world.rank(), 7);
  }

  private static void receive(Comm world, int[] box) {
    world.recv(box, 1 - world.rank(), 7);
  }

  /** The messages that fill the buffer are named, but only if a send waits for room in it. */
  @Test
  void aSendWithoutRoomForACopy() {
    int atOnce = Options.PLAIN.slots(); // as the other rank does not poll
    LongWait wait =
        seen(
            (world, box) -> {
              for (int i = 0; i < atOnce + 10; i++) {
                world.send(Slice.of(box, 0, 1), 1, i < atOnce + 3 ? 2 : 3);
              }
              send(world, box);
            },
            (world, box) -> {
              for (int i = 0; i < atOnce + 10; i++) {
                world.recv(Slice.of(box, 0, 1), 0, i < atOnce + 3 ? 2 : 3);
              }
              receive(world, box);
            });
    assertThat(wait.tag()).isEqualTo(7);
    assertThat(wait.untaken()).isEqualTo(new Untaken(1, 3, 7, 28));
  }

  @Test
  void aReceive() {
    LongWait wait = seen(LongWaitTest::receive, LongWaitTest::send);
    assertSeen(wait, "recv", 1, 7, WORLD);
    assertThat(wait.communicator()).isEqualTo("world");
  }

  @Test
  void aReceiveFromAny() {
    assertSeen(
        seen((world, box) -> world.recv(box, Comm.ANY_SOURCE, Comm.ANY_TAG), LongWaitTest::send),
        "recv",
        LongWait.ANY,
        LongWait.ANY,
        WORLD);
  }

  @Test
  void aSend() {
    assertSeen(
        seen((world, box) -> world.ssend(box, 1, 7), LongWaitTest::receive), "ssend", 1, 7, WORLD);
  }

  @Test
  void aProbe() {
    Call probe =
        (world, box) -> {
          world.probe(1, 7);
          receive(world, box);
        };
    assertSeen(seen(probe, LongWaitTest::send), "probe", 1, 7, WORLD);
  }

  @Test
  void requestsOneByOneAndTogether() {
    assertSeen(
        seen((world, box) -> world.irecv(box, 1, 7).waitFor(), LongWaitTest::send),
        "waitFor",
        1,
        7,
        WORLD);
    assertSeen(
        seen((world, box) -> Request.waitAll(world.irecv(box, 1, 7)), LongWaitTest::send),
        "waitAll",
        1,
        7,
        WORLD);
    assertSeen(
        seen((world, box) -> Request.waitAny(world.irecv(box, 1, 7)), LongWaitTest::send),
        "waitAny",
        1,
        7,
        WORLD);
  }

  @Test
  @SuppressWarnings("ReferenceEquality") // another sample is another record with the same content
  void aPolledRequestHasWaitedSinceItsFirstTest() {
    AtomicReference<Messenger> waits = new AtomicReference<>();
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m -> {
          int[] box = new int[2];
          if (m.rank() == 0) {
            Request never = world(m).irecv(box, 1, 8);
            waits.set(m);
            m.copies(10 * (4 + FlowLimits.MESSAGE_COST));
            Request.waitAny(never, world(m).irecv(box, 1, 7));
            never.cancel();
          } else {
            LongWait first = null;
            LongWait later = null;
            // Each unsuccessful test in waitAny is a separate call.
            while (first == null || later == null || later == first) {
              LockSupport.parkNanos(LOOK_NANOS);
              Messenger other = waits.get();
              later = other == null ? null : other.longWait();
              first = first == null ? later : first;
            }
            assertThat(later.sinceNanos()).isEqualTo(first.sinceNanos());
            send(world(m), box);
          }
        });
  }

  @Test
  void aCollectiveByTheNameThatTheProgramCalls() {
    Call bcast = (world, box) -> world.bcast(box, 1);
    assertSeen(seen(bcast, bcast), "bcast", 1, LongWait.ANY, Contexts.collectives(Contexts.WORLD));
    Call split = (world, box) -> world.split(0, 0);
    assertThat(seen(split, split).call()).isEqualTo("split");
  }

  @Test
  void aDetachThatWaitsForItsMessages() {
    Call detach =
        (world, box) -> {
          world.attachBuffer(1 << 20);
          world.bsend(new int[100_000], 1, 7);
          world.attachBuffer(0);
        };
    assertSeen(
        seen(detach, (world, box) -> world.recv(new int[100_000], 0, 7)),
        "attachBuffer",
        LongWait.ANY,
        LongWait.ANY,
        LongWait.ANY);
  }

  @Test
  void theFlightRecorderLearnsOfIt(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("rank.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      seen((world, box) -> world.recv(box, 1, 4711), (world, box) -> world.send(box, 0, 4711));
      recording.stop();
      recording.dump(file);
    }
    assertThat(RecordingFile.readAllEvents(file))
        .filteredOn(event -> event.getEventType().getName().equals("fmi.Wait"))
        .filteredOn(event -> event.getInt("tag") == 4711)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("call")).isEqualTo("recv");
              assertThat(event.getInt("peer")).isOne();
              assertThat(event.getString("communicator")).isEqualTo("world");
              assertThat(event.getDuration("nanos")).isPositive();
            });
  }
}
