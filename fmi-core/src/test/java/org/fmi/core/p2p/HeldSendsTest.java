package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages of a rank whose decisions are not kept elsewhere yet; one thread makes all calls. */
final class HeldSendsTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int ASKED = 1;
  private static final int ANSWERED = 2;

  private final CountingJob job = new CountingJob();
  private final MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
  private final Messenger master = Ranks.messenger(0, 2);
  private final Messenger worker = Ranks.messenger(1, 2);
  private final MessageLog log = new MessageLog(2, 10_000_000, job);
  private final long[] data = new long[100_000];

  @BeforeEach
  void enter() {
    master.enter(0, transports(network, master));
    worker.enter(0, transports(network, worker));
    master.log(log);
    master.line(true);
  }

  private static Transport[] transports(MemoryNetwork network, Messenger m) {
    return new Transport[] {network.transport(m.rank())};
  }

  private void send(Messenger from, long value, int longs, int tag) {
    data[0] = value;
    from.send(data, 0, 8L * longs, 1 - from.rank(), CONTEXT, tag, Mode.STANDARD);
    data[0] = -1; // as a program may that has sent it
  }

  private void ask(int times) {
    for (int i = 0; i < times; i++) {
      send(worker, i, 1, ASKED);
    }
  }

  private void master() {
    Status status = master.recv(data, 0, 8, Comm.ANY_SOURCE, CONTEXT, ASKED);
    assertThat(status.source()).isOne();
  }

  private long answer(int longs) {
    Status status = worker.recv(data, 0, 8L * longs, 0, CONTEXT, ANSWERED);
    assertThat(status.bytes()).isEqualTo(8L * longs);
    return data[0];
  }

  private boolean isAnswered() {
    for (int i = 0; i < 5; i++) {
      master.poll();
      worker.poll();
    }
    return worker.iprobe(0, CONTEXT, ANSWERED) != null;
  }

  /** Nobody else waits for the rank, and it may compute for long before its next call. */
  @Test
  void aSendWaitsIfThereIsNothingElseToDo() {
    ask(1);
    master();
    send(master, 7, 1, ANSWERED);
    assertThat(job.awaited).isOne();
    assertThat(isAnswered()).isTrue();
    assertThat(answer(1)).isEqualTo(7);
  }

  @Test
  void whileAnotherMessageWaitsItsCopyDoes() {
    ask(2);
    master();
    send(master, 7, 1, ANSWERED);
    assertThat(job.awaited).isZero();
    assertThat(isAnswered()).isFalse();
    job.kept = 1;
    assertThat(isAnswered()).isTrue();
    assertThat(answer(1)).isEqualTo(7);
    assertThat(job.awaited).isZero();
  }

  /** Long ones too, which else wait for their receiver; and what depends on less goes first. */
  @Test
  void eachGoesInItsOrderOnceItMay() {
    ask(3);
    master();
    send(master, 7, 1, ANSWERED);
    master();
    send(master, 8, data.length, ANSWERED);
    assertThat(job.chosen).isEqualTo(2);
    job.kept = 1;
    assertThat(isAnswered()).isTrue();
    assertThat(answer(1)).isEqualTo(7);
    assertThat(isAnswered()).isFalse();
    job.kept = 2;
    send(master, 9, 1, ANSWERED);
    assertThat(isAnswered()).isTrue();
    Request long8 = worker.irecv(data, 0, 8L * data.length, 0, CONTEXT, ANSWERED);
    while (!long8.test()) {
      master.poll();
    }
    assertThat(data[0]).isEqualTo(8);
    assertThat(answer(1)).isEqualTo(9);
    assertThat(job.awaited).isZero();
  }

  @Test
  void aSynchronousSendIsNotCompleteBefore() {
    ask(2);
    master();
    Request send = master.isend(data, 0, 8, 1, CONTEXT, ANSWERED, Mode.SYNCHRONOUS);
    Request receive = worker.irecv(new long[1], 0, 8, 0, CONTEXT, ANSWERED);
    assertThat(isAnswered()).isFalse();
    assertThat(receive.test()).isFalse();
    job.kept = 1;
    while (!receive.test() || !send.test()) {
      master.poll();
    }
    assertThat(job.awaited).isZero();
  }

  /** A failure comes first: the log has it. */
  @Test
  void inAnotherEpochItIsSentAgainAndOnce() {
    ask(2);
    master();
    send(master, 7, 1, ANSWERED);
    MemoryNetwork next = new MemoryNetwork(2, 1, Options.PLAIN);
    worker.enter(1, transports(next, worker));
    master.goOn(1, transports(next, master));
    assertThat(master.sendAgain(1)).containsExactly(1, 8);
    job.kept = 1;
    assertThat(isAnswered()).isTrue();
    assertThat(answer(1)).isEqualTo(7);
    assertThat(isAnswered()).isFalse();
  }

  /** What the log has no room for waits as it always did. */
  @Test
  void aSendThatTheLogDoesNotHaveWaitsItself() {
    master.log(new MessageLog(2, 1_000, job));
    master.line(true);
    ask(2);
    master();
    Request send = master.isend(data, 0, 2_000, 1, CONTEXT, ANSWERED, Mode.STANDARD);
    assertThat(isAnswered()).isFalse();
    assertThat(send.test()).isFalse();
    job.kept = 1;
    assertThat(isAnswered()).isTrue();
    assertThat(answer(250)).isZero();
    assertThat(send.test()).isTrue();
  }

  /** What the receiver has decided may be that it gets another message first. */
  @Test
  void onceARankHasGoneBackItIsEnoughThatTheLogHasIt() {
    long[] first = new long[data.length];
    Request before = begin(first, Mode.STANDARD);
    log.hasCome(1, new long[] {0});
    send(master, 8, data.length, ANSWERED);
    assertThat(begin(first, Mode.SYNCHRONOUS).test()).isFalse();
    assertThat(before.test()).isFalse();
    assertThat(received()).isZero();
    assertThat(before.test()).isTrue();
    assertThat(received()).isEqualTo(8);
  }

  /** That a later message has come tells that the synchronous send was complete. */
  @Test
  void aSynchronousSendThatIsMadeAgainIsComplete() {
    long[] onlyTheSecond = {1, 0b10};
    log.hasCome(1, onlyTheSecond);
    data[0] = 7;
    master.send(data, 0, 8, 1, CONTEXT, ANSWERED, Mode.SYNCHRONOUS);
    assertThat(answer(1)).isEqualTo(7);
  }

  private Request begin(long[] message, Mode mode) {
    return master.isend(message, 0, 8L * message.length, 1, CONTEXT, ANSWERED, mode);
  }

  private long received() {
    long[] all = new long[data.length];
    Request receive = worker.irecv(all, 0, 8L * all.length, 0, CONTEXT, ANSWERED);
    while (!receive.test()) {
      master.poll();
    }
    return all[0];
  }
}
