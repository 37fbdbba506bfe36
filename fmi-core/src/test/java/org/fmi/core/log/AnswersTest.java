package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Status;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.Ranks;
import org.fmi.spi.Transport;
import org.junit.jupiter.api.Test;

/** Replay of answers of calls that return yes or no; one thread makes all calls. */
final class AnswersTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int LATE = 1;
  private static final int WANTED = 2;
  private static final int OTHER = 3;

  /** A rank that makes decisions, and a rank that sends to it. */
  private static final class Pair {
    final Messenger decides = Ranks.messenger(0, 2);
    final MessageLog log = new MessageLog(0, 2, 10_000_000, new CountingJob());
    private final Messenger sends = Ranks.messenger(1, 2);
    private final long[] data = new long[1];

    Pair() {
      MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
      decides.enter(0, new Transport[] {network.transport(0)});
      sends.enter(0, new Transport[] {network.transport(1)});
      new MessageLedger(decides, log, null);
      decides.ledger().atRecoveryLine(true);
    }

    void send(int tag) {
      sends.send(data, 0, 8, 0, CONTEXT, tag, Mode.STANDARD);
    }

    /** Whether a receive is cancelled. */
    boolean cancels() {
      Request receive = decides.irecv(data, 0, 8, Comm.ANY_SOURCE, CONTEXT, LATE);
      decides.poll();
      return receive.cancel();
    }

    Status finds() {
      return Objects.requireNonNull(decides.iprobe(Comm.ANY_SOURCE, CONTEXT, WANTED));
    }

    long[] decided() {
      return Objects.requireNonNull(log.determinants()).takeUnreported();
    }
  }

  /** A frame may end after any determinant, and no message may overtake it. */
  @Test
  void aPrefixOfDeterminantsIsReplayedAndTheRestDecidedAfresh() {
    Pair before = new Pair();
    assertThat(before.cancels()).isTrue();
    before.send(OTHER);
    before.send(WANTED);
    assertThat(before.finds().tag()).isEqualTo(WANTED);
    long[] decided = before.decided();

    IntStream.rangeClosed(0, decided.length)
        .map(most -> Determinants.whole(decided, 0, most))
        .distinct()
        .forEach(
            known -> {
              Pair again = new Pair();
              again.log.replay(Arrays.copyOf(decided, known), known);
              again.send(LATE);
              again.send(OTHER);
              again.send(WANTED);
              assertThat(again.cancels()).as("%d are known", known).isEqualTo(known > 0);
              assertThat(again.finds().tag()).as("%d are known", known).isEqualTo(WANTED);
            });
  }
}
