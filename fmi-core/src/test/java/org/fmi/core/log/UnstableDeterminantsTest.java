package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Rollback;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MemoryNetwork;
import org.fmi.core.p2p.MemoryNetwork.Options;
import org.fmi.core.p2p.Messenger;
import org.fmi.core.p2p.PointToPoint.Mode;
import org.fmi.core.p2p.Ranks;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spread of unstable determinants among ranks; one thread makes all calls. */
final class UnstableDeterminantsTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int SYSTEM = Contexts.pointToPoint(Contexts.SYSTEM);
  private static final int SIZE = 4;

  /** A rank's reports to the job, as {@code rank@version from: numbers of sources}. */
  private static final class Teller extends CountingJob {
    final List<String> told = new ArrayList<>();

    @Override
    public long report(int rank, long since, NewDeterminants all) {
      assertThat(all.determinants().length % 2).as("receives have two longs each").isZero();
      List<Integer> sources = new ArrayList<>();
      for (int i = 1; i < all.determinants().length; i += 2) {
        sources.add(Determinants.source(all.determinants()[i]));
      }
      told.add(rank + "@" + since + " from " + all.first() + ": " + sources);
      return super.report(rank, since, all);
    }

    List<String> take() {
      List<String> taken = List.copyOf(told);
      told.clear();
      return taken;
    }
  }

  /** Frames of three longs; the transport takes one at a time. */
  private static final Options NARROW = new Options(24, 8, 1, 0, 0);

  private MemoryNetwork network = new MemoryNetwork(SIZE, 1, Options.PLAIN);
  private final Messenger[] ranks = new Messenger[SIZE];
  private final MessageLog[] logs = new MessageLog[SIZE];
  private final Teller[] jobs = new Teller[SIZE];
  private final long[] data = new long[1];

  @BeforeEach
  void enter() {
    for (int rank = 0; rank < SIZE; rank++) {
      ranks[rank] = Ranks.messenger(rank, SIZE);
      jobs[rank] = new Teller();
      logs[rank] = new MessageLog(rank, SIZE, 10_000_000, jobs[rank]);
      ranks[rank].enter(0, new Transport[] {network.transport(rank)});
      new MessageLedger(ranks[rank], logs[rank], null);
      ranks[rank].ledger().atRecoveryLine(true);
    }
  }

  private void message(int source, int dest) {
    send(source, dest, CONTEXT);
    ranks[dest].recv(data, 0, 8, source, CONTEXT, 0);
  }

  private void send(int source, int dest, int context) {
    ranks[source].send(data, 0, 8, dest, context, 0, Mode.STANDARD);
  }

  /** A rank receives a message from any source, which is this source. */
  private void chooses(int rank, int source) {
    send(source, rank, CONTEXT);
    assertThat(ranks[rank].recv(data, 0, 8, Comm.ANY_SOURCE, CONTEXT, 0).source())
        .isEqualTo(source);
  }

  /** The reports of a rank if the epoch ends now. */
  private List<String> tells(int rank) {
    logs[rank].report();
    return jobs[rank].take();
  }

  @Test
  void aReceiverKnowsTheDeterminantsOfTheSender() {
    chooses(0, 2);
    chooses(0, 3);
    message(0, 1);
    assertThat(jobs[0].take()).as("told before anybody asks").isEmpty();
    assertThat(tells(1)).containsExactly("0@0 from 0: [2, 3]");
    assertThat(tells(1)).as("told twice").isEmpty();
    assertThat(tells(2)).isEmpty();
    chooses(0, 3);
    message(0, 1);
    assertThat(tells(1)).containsExactly("0@0 from 4: [3]");
  }

  /** Of itself, of no rank, in half a determinant, and after ones that are missing. */
  @ParameterizedTest
  @CsvSource({"1, 0, 16", "-1, 0, 16", "4, 0, 16", "0, 0, 12", "0, 5, 16"})
  void aDamagedFrameBreaksTheConnection(int owner, int place, int payload) {
    Frame frame = new Frame();
    frame.kind = 11;
    frame.context = owner;
    frame.sequence = place;
    frame.payload = payload;
    MemorySegment memory = MemorySegment.ofArray(new byte[FrameLayout.HEADER_BYTES + 16]);
    frame.encodeHeader(memory, 0);
    assertThatThrownBy(() -> ranks[1].onFrame(2, memory, 0))
        .hasMessageStartingWith("lost 2: damaged frame: rank 2 sent determinants of rank " + owner);
    assertThat(tells(1)).isEmpty();
  }

  @Test
  void doesNotKnowLaterDeterminants() {
    chooses(0, 2);
    message(0, 1);
    chooses(0, 3);
    assertThat(tells(1)).containsExactly("0@0 from 0: [2]");
    assertThat(tells(0)).containsExactly("0@0 from 0: [2, 3]");
  }

  /** A rank that depends on a determinant by way of other ranks has it too. */
  @Test
  void forwardsReceivedDeterminants() {
    chooses(0, 2);
    message(0, 1);
    chooses(1, 3);
    message(1, 2);
    message(2, 3);
    assertThat(tells(3)).containsExactlyInAnyOrder("0@0 from 0: [2]", "1@0 from 0: [3]");
    assertThat(tells(2)).containsExactlyInAnyOrder("0@0 from 0: [2]", "1@0 from 0: [3]");
  }

  /** The owner has it already. */
  @Test
  void doesNotSendDeterminantsToTheirOwner() {
    chooses(0, 2);
    message(0, 1);
    message(1, 0);
    assertThat(tells(0)).containsExactly("0@0 from 0: [2]");
  }

  @Test
  void messagesOfTheRuntimeDependOnNothing() {
    chooses(0, 2);
    send(0, 1, SYSTEM);
    ranks[1].recv(data, 0, 8, 0, SYSTEM, 0);
    assertThat(tells(1)).isEmpty();
  }

  /** This keeps the piggybacked data small. */
  @Test
  void reportsToTheJobAndDoesNotPiggybackStableDeterminants() {
    int many = UnstableDeterminants.BUDGET / 2 + 1;
    for (int i = 0; i < many; i++) {
      chooses(0, 2);
    }
    assertThat(jobs[0].take()).isEmpty();
    message(0, 1);
    assertThat(jobs[0].take()).hasSize(1);
    chooses(0, 3);
    message(0, 1);
    assertThat(jobs[0].take()).as("told while the last is under way").isEmpty();
    jobs[0].kept = 1;
    chooses(0, 3);
    message(0, 2);
    assertThat(tells(2)).containsExactly("0@0 from " + 2 * many + ": [3, 3]");
    message(0, 1);
    assertThat(tells(1)).containsExactly("0@0 from " + 2 * many + ": [3, 3]");
  }

  /** All ranks with determinants share the budget for piggybacked data. */
  @Test
  void reportsSoonerTheMoreRanksHaveDeterminants() {
    chooses(0, 2);
    message(0, 3);
    chooses(1, 2);
    message(1, 3);
    int share = UnstableDeterminants.BUDGET / 3;
    for (int i = 0; i < share / 2; i++) {
      chooses(3, 2);
    }
    message(3, 2);
    assertThat(jobs[3].take()).isEmpty();
    chooses(3, 2);
    message(3, 2);
    assertThat(jobs[3].take()).isNotEmpty();
  }

  /** A job that does not answer: a rank waits before it has too many unstable determinants. */
  @Test
  void aRankWithTooManyDeterminantsWaitsForTheJob() {
    for (int i = 0; i < UnstableDeterminants.WAIT_FACTOR * UnstableDeterminants.BUDGET / 2; i++) {
      chooses(0, 2);
      message(0, 1);
    }
    assertThat(jobs[0].awaited).isZero();
    chooses(0, 2);
    message(0, 1);
    assertThat(jobs[0].awaited).isPositive();
    assertThat(String.join("", tells(1))).startsWith("0@0 from 0: [2, 2, ");
  }

  /** More determinants than a frame holds. */
  @Test
  void sendsInPieces() {
    int many = UnstableDeterminants.WAIT_FACTOR * UnstableDeterminants.BUDGET / 2;
    for (int i = 0; i < many; i++) {
      chooses(0, 2);
    }
    message(0, 1);
    message(1, 3);
    Integer[] sources = new Integer[many];
    Arrays.fill(sources, 2);
    assertThat(tells(3)).containsExactly("0@0 from 0: " + Arrays.toString(sources));
  }

  /**
   * The epoch ends before all of them have arrived: the message that depends on them has not
   * arrived either.
   */
  @Test
  void aPieceHasWholeDeterminants() {
    chooses(0, 2);
    chooses(0, 3);
    network = new MemoryNetwork(SIZE, 1, NARROW);
    for (int rank = 0; rank < 2; rank++) {
      ranks[rank].resume(1, new Transport[] {network.transport(rank)});
    }
    chooses(0, 1);
    chooses(0, 1);
    ranks[0].isend(data, 0, 8, 1, CONTEXT, 0, Mode.STANDARD);
    ranks[1].poll();
    assertThat(tells(1)).containsExactly("0@0 from 0: [2]");
  }

  /** No other rank can report a determinant that no message depends on. */
  @Test
  void reportsEverythingBeforeAVote() {
    chooses(0, 2);
    message(0, 1);
    chooses(1, 3);
    logs[1].reportAndWait();
    assertThat(jobs[1].awaited).isEqualTo(2);
    assertThat(jobs[1].take()).containsExactlyInAnyOrder("0@0 from 0: [2]", "1@0 from 0: [3]");
  }

  /** Ranks may roll back to either recovery line. */
  @Test
  void afterARecoveryLineDeterminantsCountSinceBoth() {
    chooses(0, 2);
    logs[0].mark();
    chooses(0, 3);
    message(0, 1);
    message(1, 2);
    assertThat(tells(2)).containsExactlyInAnyOrder("0@0 from 0: [2, 3]", "0@1 from 0: [3]");
    logs[0].cut();
    jobs[0].version = 1;
    chooses(0, 1);
    message(0, 2);
    assertThat(tells(2)).containsExactly("0@1 from 2: [1]");
  }

  /** Other ranks may be at a recovery line that this rank has not reached. */
  @Test
  void keepsDeterminantsSinceTheNextRecoveryLine() {
    chooses(0, 2);
    message(0, 1);
    ranks[0].ledger().atRecoveryLine(true);
    jobs[0].version = 1;
    chooses(0, 3);
    send(0, 1, CONTEXT);
    ranks[1].probe(0, CONTEXT, 0);
    ranks[1].ledger().atRecoveryLine(true);
    jobs[1].version = 1;
    ranks[1].recv(data, 0, 8, 0, CONTEXT, 0);
    assertThat(tells(1)).contains("0@1 from 0: [3]");
    message(1, 2);
    assertThat(tells(2)).contains("0@1 from 0: [3]");
  }

  /** By then each rank has reported all determinants to the job. */
  @Test
  void aNewEpochBeginsEmpty() {
    chooses(0, 2);
    message(0, 1);
    tells(0);
    tells(1);
    MemoryNetwork next = new MemoryNetwork(SIZE, 1, Options.PLAIN);
    for (int rank = 0; rank < SIZE; rank++) {
      ranks[rank].resume(1, new Transport[] {next.transport(rank)});
    }
    chooses(0, 3);
    message(0, 1);
    message(1, 2);
    assertThat(tells(2)).containsExactly("0@0 from 2: [3]");
  }

  /** No determinants are kept if no rank rolls back alone. */
  @Test
  void sendsNoDeterminantsOutsideOfALoop() {
    ranks[0].ledger().atRecoveryLine(false);
    chooses(0, 2);
    message(0, 1);
    assertThat(tells(1)).isEmpty();
    ranks[0].revoke(0, "test");
    assertThrows(Rollback.class, () -> send(0, 1, CONTEXT));
  }
}
