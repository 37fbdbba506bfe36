package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InvalidObjectException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.fmi.Comm;
import org.fmi.Datatype.Predefined;
import org.fmi.FmiException;
import org.fmi.Request;
import org.fmi.core.object.ObjectCodec;
import org.fmi.core.object.StandIns;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.Ranks;
import org.fmi.spi.Transport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Images of requests; {@code StateRequestsSimulationTest} tests whole ranks. */
final class StateRequestsTest {
  private static final int CONTEXT = 4;

  private interface Body {
    void run(Messenger m) throws Exception;
  }

  private static void alone(Body body) {
    Ranks.run(1, 1, Options.PLAIN, body::run);
  }

  private static StandIns standIns(StateRequests kept) {
    return new StandIns() {
      @Override
      public Object of(Object object) {
        return kept.of(object);
      }

      @Override
      public Object find(Object read) throws InvalidObjectException {
        return kept.find(read);
      }
    };
  }

  private static byte[] write(Messenger m, List<Object> state, @Nullable Request... requests) {
    StateRequests kept = new StateRequests(m);
    kept.writes(state);
    return ObjectCodec.write(requests, standIns(kept));
  }

  private static Request[] read(Messenger m, byte[] image, List<Object> state) {
    StateRequests kept = new StateRequests(m);
    Request[] read = (Request[]) ObjectCodec.read(image, standIns(kept));
    kept.haveRead(state);
    return read;
  }

  /** Rolls back: forgets messages and requests. */
  private static void rollBack(Messenger m) {
    MemoryNetwork network = new MemoryNetwork(m.size(), 1, Options.PLAIN);
    m.enter(m.epoch() + 1, new Transport[] {network.transport(m.rank())});
  }

  private static Request receive(Messenger m, Object into, long at, int source, long tag) {
    return m.irecv(
        into, at, Long.BYTES, source, CONTEXT, MessageTag.of(Predefined.LONG, (int) tag));
  }

  private static void send(Messenger m, Object data, long bytes, long tag) {
    m.send(data, 0, bytes, m.rank(), CONTEXT, tag, Mode.STANDARD);
  }

  @Test
  void postsReceivesInTheirOriginalOrder() {
    alone(
        m -> {
          long[] values = new long[4];
          Request first = receive(m, values, 8, Comm.ANY_SOURCE, 3);
          Request second = receive(m, values, 16, 0, Comm.ANY_TAG);
          byte[] image = write(m, List.of(new long[1], values), second, null, first, second);
          long[] other = new long[4];
          rollBack(m);
          Request[] again = read(m, image, List.of(new long[1], other));

          assertThat(again[3]).isSameAs(again[0]);
          assertThat(again[1]).isNull();
          assertThat(m.activeRequests()).isEqualTo(2);
          assertThat(again[0].test()).isFalse();
          send(m, new long[] {7}, 8, 3);
          send(m, new int[] {8, 0}, 8, 3);
          assertThat(again[0].waitFor().tag()).isEqualTo(3);
          assertThat(again[2].waitFor().source()).isZero();
          assertThat(other).containsExactly(0, 7, 8, 0);
          assertThat(values).containsOnly(0);
          assertThat(m.activeRequests()).isZero();
        });
  }

  /** A restored request may be written again, before and after it is complete. */
  @Test
  void ranksMayRollBackRepeatedly() {
    alone(
        m -> {
          long[] values = new long[1];
          List<Object> state = List.of(values);
          byte[] image = write(m, state, receive(m, values, 0, 0, 3));
          Request again = null;
          for (int i = 0; i < 3; i++) {
            rollBack(m);
            again = read(m, image, state)[0];
            image = write(m, state, again);
          }
          send(m, new long[] {9}, 8, 3);
          assertThat(values).containsExactly(9);
          image = write(m, List.of(), again);
          rollBack(m);
          assertThat(read(m, image, List.of())[0].waitFor().bytes()).isEqualTo(8);
          assertThat(m.activeRequests()).isZero();
        });
  }

  /** Describes the outcome of a request. */
  private static String end(Request r) {
    try {
      return String.valueOf(r.waitFor());
    } catch (FmiException e) {
      return e.errorClass() + " " + e.getMessage();
    }
  }

  @Test
  void completeRequestsEndAsBefore() {
    alone(
        m -> {
          long[] values = new long[1];
          Request[] all = new Request[5];
          for (int i = 0; i < all.length; i++) {
            all[i] = receive(m, values, 0, 0, i);
          }
          send(m, new long[1], 8, 0);
          send(m, new long[2], 16, 1);
          send(m, new int[1], 4, 2);
          assertThat(all[3].cancel()).isTrue();
          assertThat(all[4].cancel()).isTrue();
          all[4] = m.isend(values, 0, 8, 0, CONTEXT, 5, Mode.STANDARD);
          byte[] untold = write(m, List.of(), all);
          String[] ends = Arrays.stream(all).map(StateRequestsTest::end).toArray(String[]::new);
          byte[] told = write(m, List.of(), all);
          assertThat(ends[1]).contains("TRUNCATE", "has 16 bytes, the receive buffer only 8");
          assertThat(ends[2]).contains("TYPE", "4 bytes", "8 bytes each");
          for (byte[] image : List.of(untold, told)) {
            rollBack(m);
            Request[] again = read(m, image, List.of());
            assertThat(again).extracting(StateRequestsTest::end).containsExactly(ends);
          }
        });
  }

  // ---- refusals

  private static void assertRefused(Messenger m, Request r, String words) {
    assertThatThrownBy(() -> write(m, List.of(new long[1]), r))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void refusesReceivesIntoBuffersOutsideOfTheState() {
    alone(
        m ->
            assertRefused(
                m,
                receive(m, new long[1], 0, Comm.ANY_SOURCE, Comm.ANY_TAG),
                "it refers to a receive of at most 8 bytes from any source with any tag, whose"
                    + " buffer is not state of the loop"));
  }

  @Test
  void refusesRequestsFromBeforeARollback() {
    alone(
        m -> {
          Request r = receive(m, new long[1], 0, 0, 3);
          rollBack(m);
          assertRefused(m, r, "a request of epoch 0, made before the rollback to epoch 1");
        });
  }

  @Test
  void refusesAnotherNumberOfRanks() {
    AtomicReference<byte @Nullable []> image = new AtomicReference<>();
    alone(
        m -> {
          long[] values = new long[1];
          image.set(write(m, List.of(values), receive(m, values, 0, 0, 3)));
        });
    Ranks.run(
        2,
        1,
        Options.PLAIN,
        m ->
            assertThatThrownBy(
                    () -> read(m, Objects.requireNonNull(image.get()), List.of(new long[1])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                    "it refers to a request of a job with another number of ranks (1 instead of"
                        + " 2)"));
  }
}
