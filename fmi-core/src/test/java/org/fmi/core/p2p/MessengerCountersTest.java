package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;

/** A messenger's counts of the program's messages. */
final class MessengerCountersTest {
  private static final int PROGRAM = 0;
  private static final int COLLECTIVE = 1;

  private final Messenger[] ranks = {Ranks.messenger(0, 2), Ranks.messenger(1, 2)};

  /** Both ranks enter an epoch. */
  private void enter(int epoch) {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    for (int r = 0; r < 2; r++) {
      ranks[r].enter(epoch, new Transport[] {network.transport(r)});
    }
  }

  private Map<Counter, Long> counted(int rank) {
    Map<Counter, Long> counters = new EnumMap<>(Counter.class);
    ranks[rank].count(counters);
    return counters;
  }

  private void send(int bytes, int context) {
    ranks[0].send(new byte[bytes], 0, bytes, 1, context, 3, Mode.STANDARD);
  }

  private void receive(int context) {
    ranks[1].recv(new byte[100], 0, 100, 0, context, 3);
  }

  @Test
  void messagesAndTheirBytes() {
    enter(0);
    send(10, PROGRAM);
    send(20, PROGRAM);
    send(99, COLLECTIVE);
    ranks[1].poll();
    assertThat(counted(0)).containsEntry(Counter.MESSAGES_SENT, 2L);
    assertThat(counted(0)).containsEntry(Counter.BYTES_SENT, 30L);
    assertThat(counted(1))
        .containsEntry(Counter.MESSAGES_RECEIVED, 2L)
        .containsEntry(Counter.BYTES_RECEIVED, 30L)
        .containsEntry(Counter.MESSAGES_UNEXPECTED, 2L)
        .containsEntry(Counter.UNEXPECTED_MESSAGES, 3L);
    receive(PROGRAM);
    receive(PROGRAM);
    receive(COLLECTIVE);
    assertThat(counted(1))
        .containsEntry(Counter.MESSAGES_UNEXPECTED, 2L)
        .containsEntry(Counter.UNEXPECTED_MESSAGES, 0L)
        .containsEntry(Counter.UNEXPECTED_BYTES, 0L);
  }

  @Test
  void aMessageThatIsAwaitedIsNotUnexpected() {
    enter(0);
    var request = ranks[1].irecv(new byte[100], 0, 100, 0, PROGRAM, 3);
    send(10, PROGRAM);
    request.waitFor();
    assertThat(counted(1))
        .containsEntry(Counter.MESSAGES_RECEIVED, 1L)
        .containsEntry(Counter.MESSAGES_UNEXPECTED, 0L);
  }

  /** An announced message is counted when its data arrives. */
  @Test
  void longMessages() {
    enter(0);
    int bytes = 1 << 20;
    var send = ranks[0].isend(new byte[bytes], 0, bytes, 1, PROGRAM, 3, Mode.STANDARD);
    var receive = ranks[1].irecv(new byte[bytes], 0, bytes, 0, PROGRAM, 3);
    while (!send.test() || !receive.test()) {
      ranks[0].poll();
      ranks[1].poll();
    }
    assertThat(counted(0)).containsEntry(Counter.BYTES_SENT, (long) bytes);
    assertThat(counted(1)).containsEntry(Counter.BYTES_RECEIVED, (long) bytes);
  }

  @Test
  void anEpochDoesNotBeginAnew() {
    enter(0);
    send(10, PROGRAM);
    receive(PROGRAM);
    enter(1);
    send(5, PROGRAM);
    receive(PROGRAM);
    assertThat(counted(0))
        .containsEntry(Counter.MESSAGES_SENT, 2L)
        .containsEntry(Counter.BYTES_SENT, 15L);
    assertThat(counted(1))
        .containsEntry(Counter.MESSAGES_RECEIVED, 2L)
        .containsEntry(Counter.BYTES_RECEIVED, 15L);
  }
}
