package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.fmi.Request;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.spi.Transport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The data path calls a ledger once for each event of a message, in order. */
final class LedgerTest {
  private static final int CONTEXT = 0;

  /** More than is sent at once. */
  private static final int LONG = 20_000;

  private final Messenger[] ranks = {Ranks.messenger(0, 2), Ranks.messenger(1, 2)};
  private final Notes[] notes = {new Notes(), new Notes()};

  LedgerTest() {
    MemoryNetwork network = new MemoryNetwork(2, 1, Options.PLAIN);
    for (int rank = 0; rank < 2; rank++) {
      ranks[rank].ledger(notes[rank]);
      ranks[rank].enter(0, new Transport[] {network.transport(rank)});
    }
    assertThat(notes[0].seen).containsExactly("enters");
    notes[0].seen.clear();
    notes[1].seen.clear();
  }

  /** Records its calls, and answers as the test asks. */
  private static final class Notes implements Ledger {
    final List<String> seen = new ArrayList<>();
    boolean sends = true;
    boolean posts = true;
    boolean precedes = true;
    boolean holds;
    @Nullable Boolean answer;

    @Override
    public boolean isOn() {
      return true;
    }

    @Override
    public void enters(boolean continues) {
      seen.add("enters");
    }

    @Override
    public boolean sends(Object base, long offset, long bytes, int dest, int context, long tag) {
      seen.add("sends");
      return sends;
    }

    @Override
    public boolean holds(int dest, int context) {
      seen.add("holds");
      return holds;
    }

    @Override
    public void queues(MessageRequest send) {
      seen.add("queues");
    }

    @Override
    public long stamp() {
      return 7;
    }

    @Override
    public boolean precedes(Link link, int context) {
      return precedes;
    }

    @Override
    public boolean precedes(Link link, MessageRequest send) {
      return precedes;
    }

    @Override
    public void withdraws(MessageRequest send) {
      seen.add("withdraws");
    }

    @Override
    public void completes(MessageRequest send) {
      seen.add("completes");
    }

    @Override
    public boolean posts(MessageRequest receive) {
      seen.add("posts");
      return posts;
    }

    @Override
    public void arrives(
        int source,
        int context,
        long tag,
        long bytes,
        long stamp,
        @Nullable MemorySegment memory,
        long at) {
      seen.add("arrives with stamp " + stamp + (memory == null ? ", without data" : ""));
    }

    @Override
    public void keeps(UnexpectedMessage message) {
      seen.add("keeps");
    }

    @Override
    public void matches(MessageRequest receive, @Nullable UnexpectedMessage waited) {
      seen.add(waited == null ? "matches" : "matches one that waited");
    }

    @Override
    public void delivers(MessageRequest receive) {
      seen.add("delivers");
    }

    @Override
    public boolean answers(MessageRequest request, boolean complete) {
      seen.add("answers");
      return answer == null ? complete : answer;
    }
  }

  private Request isend(int bytes) {
    return ranks[0].isend(new byte[bytes], 0, bytes, 1, CONTEXT, 1, Mode.STANDARD);
  }

  private Request irecv(int bytes) {
    return ranks[1].irecv(new byte[bytes], 0, bytes, 0, CONTEXT, 1);
  }

  private void pollBoth() {
    for (int i = 0; i < 20; i++) {
      ranks[i % 2].poll();
    }
  }

  @Test
  void aShortMessage() {
    Request receive = irecv(8);
    ranks[0].send(new byte[8], 0, 8, 1, CONTEXT, 1, Mode.STANDARD);
    assertThat(notes[0].seen).containsExactly("sends");
    receive.waitFor();
    assertThat(notes[1].seen)
        .containsExactly("posts", "arrives with stamp 7", "matches", "delivers");
  }

  @Test
  void aShortMessageBeforeItsReceive() {
    isend(8);
    pollBoth();
    irecv(8).waitFor();
    assertThat(notes[1].seen)
        .containsExactly(
            "arrives with stamp 7", "keeps", "posts", "matches one that waited", "delivers");
  }

  @Test
  void aLongMessage() {
    Request receive = irecv(LONG);
    Request send = isend(LONG);
    pollBoth();
    send.waitFor();
    receive.waitFor();
    assertThat(notes[0].seen).containsExactly("sends", "holds", "queues", "completes");
    assertThat(notes[1].seen)
        .containsExactly("posts", "arrives with stamp 7, without data", "matches", "delivers");
  }

  @Test
  void aMessageThatTheReceiverHasIsNotSent() {
    notes[0].sends = false;
    assertThat(isend(8).test()).isTrue();
    assertThat(isend(LONG).test()).isTrue();
    pollBoth();
    assertThat(notes[1].seen).isEmpty();
    assertThat(ranks[0].userSent()).isZero();
  }

  @Test
  void aSendIsCompleteIfTheLedgerHoldsItsMessage() {
    notes[0].holds = true;
    assertThat(isend(LONG).test()).isTrue();
    assertThat(notes[0].seen).containsExactly("sends", "holds", "answers");
  }

  @Test
  void nothingOvertakesWhatMustGoAhead() {
    notes[0].precedes = false;
    isend(8);
    pollBoth();
    assertThat(notes[1].seen).isEmpty();
    notes[0].precedes = true;
    isend(8);
    pollBoth();
    assertThat(Ranks.unexpected(ranks[1])).isEqualTo(2);
  }

  @Test
  void noMessageMatchesAReceiveThatIsWithheld() {
    notes[1].posts = false;
    Request withheld = irecv(8);
    isend(8);
    pollBoth();
    assertThat(Ranks.unexpected(ranks[1])).isEqualTo(1);
    assertThat(withheld.cancel()).isTrue();
  }

  @Test
  void aTestAnswersAsTheLedgerSays() {
    Request receive = irecv(8);
    isend(8);
    pollBoth();
    notes[1].answer = false;
    assertThat(receive.test()).isFalse();
    assertThat(receive.status()).isNull();
    notes[1].answer = true;
    assertThat(receive.test()).isTrue();
  }

  @Test
  void aTestWaitsIfTheLedgerSaysYes() {
    Request receive = irecv(8);
    isend(8);
    notes[1].answer = true;
    assertThat(receive.status()).isNotNull();
  }

  private static final class Remembered implements Ledger.Tracked {
    boolean reset;

    @Override
    public void reset() {
      reset = true;
    }
  }

  @Test
  void aReusedRequestIsTrackedAnew() {
    Requests requests = ranks[0].requests();
    MessageRequest r = requests.takeReceive(new byte[1], 0, 1, 1, CONTEXT, 1);
    Remembered remembered = new Remembered();
    r.track(remembered);
    requests.cancel(r);
    requests.give(r);
    assertThat(requests.takeReceive(new byte[1], 0, 1, 1, CONTEXT, 1)).isSameAs(r);
    assertThat(remembered.reset).isTrue();
    assertThat(r.tracked()).isSameAs(remembered);
  }
}
