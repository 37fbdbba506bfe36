package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.fmi.Comm;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.ArrayRequest;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.Ranks;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.core.state.ImageWriter;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;

/** Replays calls outside of loops, without the network. */
class RecorderTest {
  private static final int CONTEXT = 0;
  private static final int INTERNAL = 1;

  private static Recorder saved(Recorder r) {
    MemorySegment image = Arena.ofAuto().allocate(r.bytes());
    r.writeTo(new ImageWriter(image), 0);
    return Recorder.readFrom(image, 1 << 20);
  }

  /**
   * Calls on a messenger without a network: a call that touches it hangs, or shows in the counters.
   */
  private static Recording replacement(Messenger m, Recorder record) {
    m.enter(1, new Transport[0]);
    Recording calls = recording(m);
    calls.recorder(record);
    record.startReplay(mismatch -> {});
    return calls;
  }

  private static Recording replacement(int rank, int size, Recorder record) {
    return replacement(Ranks.messenger(rank, size), record);
  }

  private static Recording recording(Messenger m) {
    return new Recording(m, 1 << 20, () -> {});
  }

  /**
   * A program's calls before its loop, with everything that depends on timing; returns what it saw.
   */
  private static List<Object> prologue(PointToPoint m) {
    List<Object> seen = new ArrayList<>();
    int other = 1 - m.rank();
    int[] data = new int[100];
    for (int i = 0; i < 20; i++) {
      Request[] requests = new Request[6];
      int[][] in = new int[6][100];
      for (int k = 0; k < 6; k++) {
        requests[k] = m.irecv(in[k], 0, 400, k % 2 == 0 ? Comm.ANY_SOURCE : other, CONTEXT, 10 + k);
      }
      for (int k = 5; k >= 0; k--) {
        data[0] = m.rank() * 1000 + i * 10 + k;
        m.send(data, 0, 4 + 4L * k, other, CONTEXT, 10 + k, Mode.STANDARD);
      }
      for (int k = 0; k < 6; k++) {
        int done = Request.waitAny(requests);
        Request r = requests[done];
        requests[done] = null;
        seen.add(done);
        seen.add(in[done][0]);
        seen.add(r == null ? "none" : r.waitFor());
      }
      Request[] pair = {
        m.irecv(in[0], 0, 4, other, CONTEXT, 20), m.irecv(in[1], 0, 4, other, CONTEXT, 21)
      };
      m.send(data, 0, 4, other, CONTEXT, 21, Mode.STANDARD);
      seen.add(Request.testAny(pair));
      m.send(data, 0, 4, other, CONTEXT, 20, Mode.STANDARD);
      seen.add(Arrays.toString(Request.waitSome(pair)));
      int tests = 0;
      while (!Request.testAll(pair)) {
        tests++;
        seen.add(Arrays.toString(Request.testSome(pair)));
      }
      seen.add(tests);
      m.send(data, 0, 8, other, CONTEXT, 1, Mode.STANDARD);
      int misses = 0;
      Status s = m.iprobe(Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG);
      while (s == null) {
        misses++;
        s = m.iprobe(Comm.ANY_SOURCE, CONTEXT, Comm.ANY_TAG);
      }
      seen.add(misses);
      seen.add(s);
      seen.add(m.probe(other, CONTEXT, 1));
      seen.addAll(anyLength(m, i));
      // Too long: a repeated error.
      assertThatThrownBy(() -> m.recv(data, 0, 4, other, CONTEXT, 1))
          .isInstanceOf(FmiException.class);
      // No whole elements: another error.
      m.send(new byte[6], 0, 6, other, CONTEXT, 2, Mode.STANDARD);
      assertThatThrownBy(() -> m.recv(data, 0, 8, other, CONTEXT, 2))
          .isInstanceOf(FmiException.class)
          .hasMessageStartingWith("TYPE");
      Request never = m.irecv(data, 0, 4, other, CONTEXT, 99);
      seen.add(never.test());
      seen.add(never.cancel());
      seen.add(String.valueOf(never.status()));
      Ranks.barrier(m);
      m.send(data, 0, 8, m.rank(), CONTEXT, 3, Mode.STANDARD);
      seen.add(m.recv(data, 0, 8, m.rank(), CONTEXT, 3));
    }
    return seen;
  }

  /** Messages whose length and order the receiver does not know. */
  private static List<Object> anyLength(PointToPoint m, int length) {
    List<Object> seen = new ArrayList<>();
    int other = 1 - m.rank();
    int[] data = new int[1 + length];
    Arrays.setAll(data, k -> 100 * length + k);
    Request[] sends = new Request[4];
    for (int k = 0; k < sends.length; k++) {
      sends[k] = m.isend(data, 0, 4L * (1 + length), other, CONTEXT, 30 + k, Mode.STANDARD);
    }
    int misses = 0;
    MessageRequest first = m.improbe(Comm.ANY_SOURCE, CONTEXT, 30);
    while (first == null) {
      misses++;
      first = m.improbe(Comm.ANY_SOURCE, CONTEXT, 30);
    }
    seen.add(misses);
    seen.add(first.probedStatus());
    MessageRequest second = m.mprobe(other, CONTEXT, 31);
    int[] in = new int[1 + length];
    seen.add(m.imrecv(second, in, 0, 4L * in.length, 31).waitFor());
    ArrayRequest rest = m.imrecv(first, new int[0], 0, PointToPoint.ALLOCATE, 30);
    seen.add(rest.waitFor());
    ArrayRequest third = m.irecvNew(new int[0], Comm.ANY_SOURCE, CONTEXT, 32);
    Object fourth = m.recvNew(new int[0], Comm.ANY_SOURCE, CONTEXT, 33).array();
    third.waitFor();
    for (Object got : List.of(in, rest.array(), third.array(), fourth)) {
      assertThat(got).isEqualTo(data);
      seen.add(Arrays.toString((int[]) got));
    }
    Request.waitAll(sends);
    return seen;
  }

  private static int polls(PointToPoint m, int polls) {
    int[] in = new int[2];
    Request first = m.irecv(in, 0, 4, 1, CONTEXT, 1);
    Request second = m.irecv(in, 4, 4, 1, CONTEXT, 2);
    Request.waitAny(first, second);
    for (int i = 0; i < polls; i++) {
      assertThat(Request.testSome(first, second)).containsExactly(0);
    }
    m.send(in, 0, 4, 1, CONTEXT, 3, Mode.STANDARD);
    second.waitFor();
    assertThat(Request.testAll(first, second)).isTrue();
    return in[1];
  }

  /** One request is complete and the other is not: the answers alternate. */
  @Test
  void testingARequestForLongDoesNotFillTheRecord() {
    int polls = 100_000;
    Recorder[] record = new Recorder[1];
    Ranks.run(
        2,
        5,
        new Options(64, 32, 4, 0.2, 0.5),
        messenger -> {
          Recording m = recording(messenger);
          int[] data = {42};
          if (m.rank() == 0) {
            m.recorder().record();
            assertThat(polls(m, polls)).isEqualTo(42);
            m.recorder().off();
            record[0] = m.recorder();
          } else {
            m.send(data, 0, 4, 0, CONTEXT, 1, Mode.STANDARD);
            m.recv(new int[1], 0, 4, 0, CONTEXT, 3);
            m.send(data, 0, 4, 0, CONTEXT, 2, Mode.STANDARD);
          }
        });
    assertThat(record[0].bytes()).isLessThan(1000);
    Recording m = replacement(0, 2, saved(record[0]));
    assertThat(polls(m, polls)).isEqualTo(42);
    m.recorder().endReplay();
  }

  @Test
  void aReplacementSeesWhatTheFirstProcessSaw() {
    ConcurrentMap<Integer, List<Object>> seen = new ConcurrentHashMap<>();
    ConcurrentMap<Integer, Recorder> records = new ConcurrentHashMap<>();
    Ranks.run(
        2,
        5,
        new Options(64, 32, 4, 0.2, 0.5),
        messenger -> {
          Recording m = recording(messenger);
          m.recorder().record();
          seen.put(m.rank(), prologue(m));
          m.recorder().off();
          records.put(m.rank(), m.recorder());
        });
    for (int rank = 0; rank < 2; rank++) {
      Recorder record = records.get(rank);
      assertThat(record).isNotNull();
      if (record != null) {
        Messenger messenger = Ranks.messenger(rank, 2);
        Recording m = replacement(messenger, saved(record));
        assertThat(prologue(m)).isEqualTo(seen.get(rank));
        m.recorder().endReplay();
        assertThat(messenger.userSent()).isZero();
        assertThat(messenger.activeRequests()).isZero();
        assertThat(m.recorder().mode()).isEqualTo(Recorder.Mode.OFF);
      }
    }
  }

  private static List<Boolean> refusals(PointToPoint m) {
    List<Boolean> refused = new ArrayList<>();
    byte[] data = new byte[10];
    for (int dest = 0; dest < 2; dest++) {
      int to = dest;
      // No buffer is attached, or the second message has filled it.
      m.attachBuffer(0);
      for (int i = 0; i < 3; i++) {
        refused.add(isRefused(() -> m.send(data, 0, 10, to, CONTEXT, 1, Mode.BUFFERED)));
        refused.add(isRefused(() -> m.isend(data, 0, 10, to, CONTEXT, 1, Mode.BUFFERED)));
        m.attachBuffer(15);
      }
      while (m.iprobe(0, CONTEXT, 1) != null) {
        m.recv(data, 0, 10, 0, CONTEXT, 1);
      }
    }
    for (int i = 0; i < 2; i++) {
      refused.add(isRefused(() -> m.send(data, 0, 10, 0, CONTEXT, 2, Mode.SYNCHRONOUS)));
      Request r = m.irecv(data, 0, 10, 0, CONTEXT, 2);
      refused.add(isRefused(() -> m.send(data, 0, 10, 0, CONTEXT, 2, Mode.SYNCHRONOUS)));
      r.waitFor();
    }
    return refused;
  }

  private static boolean isRefused(Runnable send) {
    try {
      send.run();
      return false;
    } catch (FmiException e) {
      return true;
    }
  }

  @Test
  void refusesARefusedSendAgain() {
    Messenger messenger = Ranks.messenger(0, 2);
    messenger.enter(0, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    Recording m = recording(messenger);
    m.recorder().record();
    List<Boolean> refused = refusals(m);
    assertThat(refused).contains(true, false);
    m.recorder().off();
    Recording again = replacement(0, 2, saved(m.recorder()));
    assertThat(refusals(again)).isEqualTo(refused);
    again.recorder().endReplay();
  }

  /** Rank 0 alone: two messages to itself, received; a send to rank 1. */
  private static Recorder smallRecord() {
    Messenger messenger = Ranks.messenger(0, 2);
    messenger.enter(0, new Transport[] {new MemoryNetwork(2, 1, Options.PLAIN).transport(0)});
    Recording m = recording(messenger);
    m.recorder().record();
    int[] box = {4};
    m.send(box, 0, 4, 0, CONTEXT, 1, Mode.STANDARD);
    m.recv(box, 0, 4, 0, CONTEXT, 1);
    m.send(box, 0, 4, 1, CONTEXT, 1, Mode.STANDARD);
    m.send(box, 0, 4, 0, INTERNAL, 1, Mode.STANDARD);
    m.recv(box, 0, 4, 0, INTERNAL, 1);
    m.recorder().off();
    return saved(m.recorder());
  }

  @Test
  void detectsCallsThatWereNotRecorded() {
    int[] box = {4};
    // A send that was not recorded.
    Recording a = replacement(0, 2, smallRecord());
    a.send(box, 0, 4, 0, CONTEXT, 2, Mode.STANDARD);
    assertThatThrownBy(() -> a.recv(box, 0, 4, 0, CONTEXT, 1))
        .isInstanceOf(ReplayMismatchException.class);
    // Another context, source, or buffer size.
    for (int which = 0; which < 3; which++) {
      Recording b = replacement(0, 2, smallRecord());
      b.send(box, 0, 4, 0, CONTEXT, 1, Mode.STANDARD);
      int w = which;
      assertThatThrownBy(
              () -> b.recv(box, 0, w == 0 ? 0 : 4, w == 1 ? 1 : 0, w == 2 ? INTERNAL : CONTEXT, 1))
          .isInstanceOf(ReplayMismatchException.class);
    }
    // Fewer calls.
    Recording c = replacement(0, 2, smallRecord());
    c.send(box, 0, 4, 0, CONTEXT, 1, Mode.STANDARD);
    c.recv(box, 0, 4, 0, CONTEXT, 1);
    assertThatThrownBy(() -> c.recorder().endReplay()).isInstanceOf(ReplayMismatchException.class);
    // More calls.
    c.send(box, 0, 4, 1, CONTEXT, 1, Mode.STANDARD);
    c.send(box, 0, 4, 0, INTERNAL, 1, Mode.STANDARD);
    c.recv(box, 0, 4, 0, INTERNAL, 1);
    assertThatThrownBy(() -> c.send(box, 0, 4, 1, CONTEXT, 1, Mode.STANDARD))
        .isInstanceOf(ReplayMismatchException.class);
    assertThatThrownBy(() -> c.recv(box, 0, 4, 1, CONTEXT, 1))
        .isInstanceOf(ReplayMismatchException.class);
    assertThatThrownBy(() -> c.probe(1, CONTEXT, 1)).isInstanceOf(ReplayMismatchException.class);
    assertThatThrownBy(() -> c.iprobe(1, CONTEXT, 1)).isInstanceOf(ReplayMismatchException.class);
  }

  @Test
  void aRecordContinuesAfterAReplay() {
    Recording m = replacement(0, 2, smallRecord());
    int[] box = {4};
    m.send(box, 0, 4, 0, CONTEXT, 1, Mode.STANDARD);
    m.recv(box, 0, 4, 0, CONTEXT, 1);
    m.send(box, 0, 4, 1, CONTEXT, 1, Mode.STANDARD);
    m.send(box, 0, 4, 0, INTERNAL, 1, Mode.STANDARD);
    m.recv(box, 0, 4, 0, INTERNAL, 1);
    m.recorder().endReplay();
    m.recorder().record();
    box[0] = 9;
    m.send(box, 0, 4, 0, CONTEXT, 7, Mode.STANDARD);
    m.recv(box, 0, 4, 0, CONTEXT, 7);
    Recorder longer = saved(m.recorder());

    Recording again = replacement(0, 2, longer);
    again.send(box, 0, 4, 0, CONTEXT, 1, Mode.STANDARD);
    again.recv(box, 0, 4, 0, CONTEXT, 1);
    again.send(box, 0, 4, 1, CONTEXT, 1, Mode.STANDARD);
    again.send(box, 0, 4, 0, INTERNAL, 1, Mode.STANDARD);
    again.recv(box, 0, 4, 0, INTERNAL, 1);
    again.send(box, 0, 4, 0, CONTEXT, 7, Mode.STANDARD);
    box[0] = 0;
    again.recv(box, 0, 4, 0, CONTEXT, 7);
    assertThat(box[0]).isEqualTo(9);
    again.recorder().endReplay();
  }

  @Test
  void dropsARecordOverItsLimit() {
    Messenger messenger = new Messenger(0, 1, new WaitStrategy(1, 1), (peer, reason) -> {});
    messenger.enter(0, new Transport[0]);
    Recording m = new Recording(messenger, 10_000, () -> {});
    m.recorder().record();
    byte[] data = new byte[1_000];
    for (int i = 0; i < 100; i++) {
      m.send(data, 0, 1_000, 0, CONTEXT, 1, Mode.STANDARD);
      m.recv(data, 0, 1_000, 0, CONTEXT, 1);
      m.iprobe(0, CONTEXT, 2);
    }
    assertThat(m.recorder().overflowed()).isTrue();
    assertThat(m.recorder().bytes()).isLessThan(100);
    Recorder r = saved(m.recorder());
    assertThat(r.overflowed()).isTrue();
    List<String> told = new ArrayList<>();
    assertThatThrownBy(() -> r.startReplay(mismatch -> told.add(mismatch.getMessage())))
        .isInstanceOf(ReplayMismatchException.class)
        .hasMessageContaining("limit");
    assertThat(told).hasSize(1);
  }
}
