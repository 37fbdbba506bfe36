package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Message;
import org.fmi.Request;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.PointToPoint;
import org.fmi.core.p2p.Ranks;
import org.fmi.wire.Memory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers and copies of messages; {@code LocalRollbackSimulationTest} tests whole ranks. */
final class MessageLogTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int SYSTEM = Contexts.pointToPoint(Contexts.SYSTEM);

  private final List<String> told = new ArrayList<>();

  private final CountingJob listener =
      new CountingJob() {
        @Override
        public void caughtUp() {
          told.add("caught up");
        }

        @Override
        public void chooses(Choice choice) {
          told.add(choice.text());
        }

        @Override
        public void differs(int dest, int context, long tag, long lengthBefore, long length) {
          told.add(dest + ", " + tag + ": " + length + " instead of " + lengthBefore);
        }

        @Override
        public void blockDiffers(int messages, int dest, int context, long tag) {
          told.add(dest + ", " + tag + ": one of " + messages);
        }

        @Override
        public long report(int rank, long version, LogListener.NewDeterminants all) {
          told.add(all.first() + " and " + all.determinants().length);
          return super.report(rank, version, all);
        }
      };

  private MessageLog log = begun(1 << 20);

  private MessageLog begun(long limit) {
    MessageLog begun = new MessageLog(0, 2, limit, listener);
    begun.reachLine(true);
    return begun;
  }

  private boolean sends(int length) {
    return log.sends(new byte[length], 0, length, 1, CONTEXT, length);
  }

  /** A rank's report of received messages. */
  private static long[] come(int... numbers) {
    BitSet bits = new BitSet();
    for (int number : numbers) {
      bits.set(number);
    }
    long[] words = bits.toLongArray();
    long[] come = new long[1 + words.length];
    come[0] = words.length;
    System.arraycopy(words, 0, come, 1, words.length);
    return come;
  }

  /** A receive gets a whole message. */
  private static void comes(MessageLog at, int number, byte... data) {
    MessageRequest r = Ranks.messenger(0, 2).requests().make();
    r.prepareReceive(data, 0, data.length, 1, CONTEXT, 1);
    r.completeReceive(1, 1, data.length);
    at.received(r, number);
  }

  @Test
  void numbersMessagesFromARecoveryLineOn() {
    assertThat(log.arrives(1)).isZero();
    assertThat(MessageLog.covers(Contexts.collectives(Contexts.WORLD))).isTrue();
    assertThat(log.arrives(1)).isOne();
    assertThat(log.arrives(0)).isZero();
    assertThat(MessageLog.covers(SYSTEM)).isFalse();
    log.reachLine(true);
    assertThat(log.arrives(1)).isZero();
    log.reachLine(false);
    assertThat(log.arrives(1)).isEqualTo(MessageLog.NO_NUMBER);
  }

  @Test
  void doesNotCountAWithdrawnSend() {
    sends(8);
    log.withdraws(1);
    assertThat(log.count(1)).isZero();
    MessageLog decisionsOnly = new MessageLog(0, 2, 0, listener);
    decisionsOnly.reachLine(true);
    decisionsOnly.sends(new byte[8], 0, 8, 1, CONTEXT, 1);
    decisionsOnly.withdraws(1);
    assertThat(decisionsOnly.count(1)).as("it counts nothing").isZero();
    log.reachLine(false);
    log.withdraws(1);
    assertThat(log.count(1)).as("nor does one that is off").isZero();
  }

  /** As when a rank that rolls back alone has no room for a log. */
  @Test
  void countsMessagesWithoutLoggingThem() {
    assertThat(log.arrives(1)).isZero();
    log.limit(0);
    assertThat(log.arrives(1)).isOne();
    sends(8);
    sends(8);
    assertThat(log.count(1)).isEqualTo(2);
    assertThat(log.bytes()).isZero();
    MessageLog decisionsAlone = begun(0);
    assertThat(decisionsAlone.arrives(1)).isEqualTo(MessageLog.NO_NUMBER);
  }

  @Test
  void renumbersUnreceivedMessagesInOrder() {
    for (int i = 0; i < 4; i++) {
      assertThat(log.arrives(1)).isEqualTo(i);
    }
    comes(log, 0);
    comes(log, 2);
    assertThat(log.received(1, false)).isEqualTo(come(0, 2));
    log.enterEpoch();
    assertThat(log.arrives(1)).isEqualTo(1);
    comes(log, 1);
    assertThat(log.arrives(1)).isEqualTo(3);
    assertThat(log.arrives(1)).isEqualTo(4);
  }

  @Test
  void leavesOutReceivedMessagesUntilTheRankHasCaughtUp() {
    log.receivedByPeer(1, come(0, 2));
    assertThat(log.hasUnreplayed()).isTrue();
    assertThat(sends(8)).isFalse();
    assertThat(sends(8)).isTrue();
    assertThat(told).isEmpty();
    assertThat(sends(8)).isFalse();
    assertThat(told).containsExactly("caught up");
    assertThat(log.hasUnreplayed()).isFalse();
    assertThat(sends(8)).isTrue();
    assertThat(log.isReceived(1, 1)).isFalse();
    assertThat(log.count(1)).isEqualTo(4);
  }

  /** The receiver knows which messages it has; the sender replays them. */
  @Test
  void comparesReplayedMessagesWithReceivedOnes() {
    MessageLog other = begun(1 << 20);
    comes(other, 0, (byte) 1, (byte) 2);
    comes(other, 2, (byte) 1, (byte) 2);
    comes(other, 3, (byte) 1, (byte) 2);
    comes(other, 100, (byte) 1);
    log.receivedByPeer(1, other.received(1, true));
    assertThat(log.sends(new byte[] {9, 1, 2}, 1, 2, 1, CONTEXT, 7)).isFalse();
    assertThat(log.sends(new byte[] {9}, 0, 1, 1, CONTEXT, 7)).isTrue();
    assertThat(told).isEmpty();
    assertThat(log.sends(new byte[] {1, 3}, 0, 2, 1, CONTEXT, 7)).isFalse();
    assertThat(log.sends(new byte[] {1, 2, 0}, 0, 3, 1, CONTEXT, 8)).isFalse();
    assertThat(told).containsExactly("1, 7: 2 instead of 2", "1, 8: 3 instead of 2");
  }

  /** Messages beyond the room for checksums are compared by blocks. */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 4095, 4096, 6143})
  void comparesMessagesWithoutAChecksumByBlocks(int differs) {
    MessageLog other = begun(4);
    int own = (1 << 20) / 16;
    int all = own + BlockSums.MESSAGES * 3 / 2;
    for (int number = 0; number < all; number++) {
      if (number % 7 != 3) {
        comes(other, number < own ? number : own + (all - 1 - number));
      }
    }
    long[] come = other.received(1, true);
    assertThat(come).hasSize(1 + Math.toIntExact(come[0]) + 1 + 2 * own + 2 * 2);
    log.receivedByPeer(1, come);
    for (int number = 0; number < all; number++) {
      log.sends(
          new byte[1], 0, differs >= 0 && number == own + differs ? 1 : 0, 1, CONTEXT, number);
    }
    assertThat(told).last().isEqualTo("caught up");
    assertThat(told).hasSize(differs < 0 ? 1 : 2);
    if (differs >= 0) {
      assertThat(told.getFirst()).startsWith("1, ").endsWith(": one of 4096");
    }
  }

  /** The part of a block replayed before is unknown in the next epoch. */
  @Test
  void doesNotCompareABlockReplayedInPartBefore() {
    ReplayComparison made = new ReplayComparison();
    BitSet come = new BitSet();
    come.set(0, 2 * BlockSums.MESSAGES);
    BlockSums blocks = new BlockSums();
    come.stream().forEach(number -> blocks.add(number, 8, 1));
    made.begin(ReplayComparison.packed(new long[0], blocks.all()), 10);
    int different = 0;
    for (int number = 10; number < come.length(); number++) {
      ReplayComparison.Difference difference = made.compare(number, 8, 2, come);
      different += difference == ReplayComparison.Difference.NONE ? 0 : 1;
    }
    assertThat(different).isOne();
  }

  /** As when a rank sends another rank 2^30 messages between two checkpoints. */
  @Test
  void endsWhenNumbersAreExhausted() {
    int most = 10;
    log = new MessageLog(0, 2, 1 << 20, listener, most);
    log.reachLine(true);
    for (int i = 0; i < most; i++) {
      assertThat(sends(8)).isTrue();
      assertThat(log.arrives(1)).isEqualTo(i);
    }
    assertThat(log.unusable()).isNull();
    assertThat(told).isEmpty();
    for (int i = 0; i < 100; i++) {
      assertThat(sends(8)).isTrue();
      assertThat(log.arrives(1)).isEqualTo(MessageLog.UNCOUNTED);
      comes(log, MessageLog.UNCOUNTED);
    }
    assertThat(told).containsExactly(Choice.UNCOUNTED.text());
    assertThat(log.unusable()).isEqualTo(Choice.UNCOUNTED.text());
    log.mark();
    assertThat(log.counts()).containsExactly(0, most + 100);
    assertThat(log.countBeforeLine()).isEqualTo(most + 100);
    sends(8);
    assertThat(log.arrives(1)).isEqualTo(MessageLog.UNCOUNTED);
    log.completeLine();
    log.cut();
    assertThat(log.unusable()).isEqualTo(Choice.UNCOUNTED.text());
    log.reachLine(true);
    assertThat(log.unusable()).isNull();
    assertThat(log.arrives(1)).isZero();
  }

  /** In any kind of buffer, and of any length. */
  @ParameterizedTest
  @ValueSource(ints = {0, 8, 24, 72, 20_000})
  void aSumIsThatOfTheBytes(int length) {
    MessageSum sum = new MessageSum();
    byte[] bytes = new byte[length + 5];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (3 * i + 1);
    }
    long expected = sum.of(bytes, 5, length);
    long[] longs = new long[length / 8];
    Memory.copy(bytes, 5, longs, 0, length);
    assertThat(sum.of(longs, 0, length)).isEqualTo(expected);
    assertThat(sum.of(MemorySegment.ofArray(bytes), 5, length)).isEqualTo(expected);
    for (int i = 5; i < bytes.length; i += 1 + length / 100) {
      bytes[i]++;
      assertThat(sum.of(bytes, 5, length)).as("byte %d", i).isNotEqualTo(expected);
      bytes[i]--;
    }
    assertThat(sum.of(bytes, 4, length + 1)).isNotEqualTo(expected);
    boolean[] yes = {true, false, true};
    assertThat(sum.of(yes, 1, 2)).isEqualTo(sum.of(new byte[] {0, 1}, 0, 2));
  }

  /** Position of a message to rank 1 in the log. */
  private long position(int number) {
    long position = log.first(1);
    for (int i = 0; i < number; i++) {
      position = log.next(position);
    }
    return position;
  }

  /** Pieces of memory end, and long messages have dedicated pieces. */
  @Test
  void theLogHoldsSentMessages() {
    int[] lengths = {8, 0, 20_000, 3, 2_000_000, 8};
    log = begun(10_000_000);
    for (int i = 0; i < lengths.length; i++) {
      byte[] data = new byte[lengths[i] + 1];
      Arrays.fill(data, (byte) (i + 1));
      assertThat(log.sends(data, 1, lengths[i], 1, CONTEXT, 100 + i)).isTrue();
    }
    for (int i = 0; i < lengths.length; i++) {
      int number = i;
      log.read(
          position(i),
          (from, at, length, _, tag) -> {
            assertThat(tag).isEqualTo(100 + number);
            assertThat(length).isEqualTo(lengths[number]);
            byte[] data = new byte[lengths[number]];
            Memory.copy(from, at, data, 0, length);
            for (byte each : data) {
              assertThat(each).isEqualTo((byte) (number + 1));
            }
          });
    }
  }

  @Test
  void aLogOverItsLimitIsUnusableUntilTheNextRecoveryLine() {
    log = begun(1_000);
    assertThat(sends(500)).isTrue();
    assertThat(log.unusable()).isNull();
    assertThat(sends(500)).isTrue();
    assertThat(log.unusable()).contains("1000 bytes").contains("--log-limit");
    assertThat(log.bytes()).isZero();
    assertThat(sends(500)).isTrue();
    assertThat(listener.outgrown).as("not by each message").containsExactly(2 * (500 + 36L));
    log.reachLine(true);
    assertThat(log.unusable()).isNull();
  }

  // ---- asynchronous recovery lines

  @Test
  void numbersCountFromARecoveryLineOnceItIsCommitted() {
    sends(8);
    comes(log, log.arrives(1), (byte) 1);
    int waiting = log.arrives(1);
    log.mark();
    assertThat(log.counts()).containsExactly(0, 1);
    sends(16);
    int late = log.arrives(1);
    log.sentAfterLine(1);
    int behind = log.arrives(1);
    comes(log, behind, (byte) 4);
    assertThat(log.countBeforeLine()).isEqualTo(3);
    log.completeLine();
    assertThat(log.renumbered(1, waiting)).isEqualTo(MessageLog.NO_NUMBER);
    assertThat(log.renumbered(1, late)).isEqualTo(MessageLog.NO_NUMBER);
    assertThat(log.renumbered(1, behind)).isZero();
    log.cut();
    assertThat(log.count(1)).isOne();
    assertThat(log.length(position(0))).isEqualTo(16);
    assertThat(log.received(1, false)).isEqualTo(come(0));
    assertThat(log.arrives(1)).isOne();
  }

  @Test
  void keepsEarlierMessagesUntilARecoveryLineIsCommitted() {
    sends(8);
    log.mark();
    sends(8);
    log.sentAfterLine(1);
    comes(log, log.arrives(1), (byte) 1);
    log.abandonLine();
    assertThat(log.count(1)).isEqualTo(2);
    assertThat(log.received(1, false)).isEqualTo(come(0));
    log.mark();
    assertThat(log.countBeforeLine()).isOne();
  }

  /** A rank has received messages that another rank replays after the recovery line. */
  @Test
  void aRankThatRollsBackReportsItsMessages() {
    comes(log, log.arrives(1), (byte) 1, (byte) 2);
    MessageLog again = begun(1 << 20);
    again.rollBack(List.of(early(log.received(1, true))));
    assertThat(again.received(1, true)).isEqualTo(log.received(1, true));
    assertThat(again.arrives(1)).isOne();
  }

  private static InTransitMessages.Received early(long[] told) {
    return new InTransitMessages.Received(1, told[3], told[4]);
  }

  @Test
  void aLogOverItsLimitIsUsableAgainOnceALaterRecoveryLineIsCommitted() {
    log = begun(1_000);
    sends(500);
    log.mark();
    sends(600);
    assertThat(log.unusable()).contains("1000 bytes");
    sends(200);
    log.completeLine();
    log.cut();
    assertThat(log.unusable()).isNull();
    assertThat(log.messages()).isEqualTo(2);
    log.mark();
    sends(900);
    sends(900);
    log.completeLine();
    log.cut();
    assertThat(log.unusable()).contains("1000 bytes");
    log.mark();
    sends(100);
    log.completeLine();
    log.cut();
    assertThat(log.unusable()).isNull();
    assertThat(log.length(position(0))).isEqualTo(100);
  }

  private MessageRequest receive(int source) {
    MessageRequest r = Ranks.messenger(0, 2).requests().make();
    r.prepareReceive(new byte[8], 0, 8, source, CONTEXT, 1);
    return r;
  }

  /** No determinants need to precede such a message. */
  @Test
  void reportsTheMatchOfAReceiveFromAnySourceOnce() {
    log.report();
    assertThat(told).isEmpty();
    MessageRequest r = receive(Comm.ANY_SOURCE);
    assertThat(log.posts(r)).isTrue();
    r.completeReceive(1, 5, 8);
    log.matches(r);
    log.report();
    log.report();
    assertThat(told).containsExactly("0 and 2");
  }

  @Test
  void aReplayedReceiveGetsTheSameMessage() {
    Determinants before = new Determinants();
    before.received(1, 1, 5);
    before.cancelled(2);
    long[] decided = before.takeUnreported();
    log.replay(decided, decided.length);
    MessageRequest named = receive(1);
    assertThat(log.posts(named)).isTrue();
    assertThat(named.tag()).isEqualTo(1);
    MessageRequest any = receive(Comm.ANY_SOURCE);
    assertThat(log.posts(any)).isTrue();
    assertThat(any.peer()).isEqualTo(1);
    assertThat(any.tag()).isEqualTo(5);
    assertThat(log.posts(receive(Comm.ANY_SOURCE))).isFalse();
    MessageRequest next = receive(Comm.ANY_SOURCE);
    assertThat(log.posts(next)).isTrue();
    assertThat(next.peer()).isEqualTo(Comm.ANY_SOURCE);
  }

  /** It is complete once its message was matched, in this epoch or a later one. */
  @Test
  void tracksASynchronousSendUntilItIsComplete() {
    assertThat(sends(8)).isTrue();
    assertThat(sends(8)).isTrue();
    MessageRequest r = Ranks.messenger(0, 2).requests().make();
    r.prepareSend(new byte[8], 0, 8, 1, CONTEXT, 1, PointToPoint.Mode.SYNCHRONOUS);
    log.synchronous(r);
    assertThat(log.synchronous(1, 0)).isNull();
    assertThat(log.synchronous(1, 1)).isSameAs(r);
    log.completed(r);
    assertThat(log.synchronous(1, 1)).isNull();
  }

  @Test
  void reportsChoicesInLoopsOnly() {
    log.chooses(Choice.REFUSED);
    log.reachLine(false);
    log.chooses(Choice.TOO_MANY);
    assertThat(told).containsExactly(Choice.REFUSED.text());
  }

  // ---- calls of the API

  /** The data stored of a call so that a process replaying it alone does the same. */
  private enum Kept {
    /** The message that a receive from any source matched. */
    RECEIVED,
    /** The message that a probe found. */
    FOUND,
    /** Yes or no. */
    ANSWER,
    CANCELLED,
    /** The pending state of a synchronous send. */
    COMPLETION,
    /** An agreement of all ranks. */
    DECISION,
    /**
     * Nothing: all ranks roll back, as {@link Choice} says, such as for a buffered send without
     * room.
     */
    REFUSAL
  }

  /** Nothing: the call does the same again, given the same messages. */
  private static final Set<Kept> NONE = Set.of();

  private static final Set<Kept> RECEIVED = Set.of(Kept.RECEIVED);
  private static final Set<Kept> ANSWER = Set.of(Kept.ANSWER);
  private static final Set<Kept> REFUSAL = Set.of(Kept.REFUSAL);

  private static final Map<Class<?>, Map<String, Set<Kept>>> CALLS =
      Map.of(
          Comm.class,
          Map.ofEntries(
              Map.entry("recv", RECEIVED),
              Map.entry("irecv", RECEIVED),
              Map.entry("sendRecv", RECEIVED),
              Map.entry("probe", Set.of(Kept.FOUND)),
              Map.entry("iprobe", Set.of(Kept.FOUND, Kept.ANSWER)),
              Map.entry("mprobe", Set.of(Kept.FOUND)),
              Map.entry("improbe", Set.of(Kept.FOUND, Kept.ANSWER)),
              Map.entry("sendObject", NONE),
              Map.entry("isendObject", NONE),
              Map.entry("recvObject", RECEIVED),
              Map.entry("irecvObject", RECEIVED),
              Map.entry("bcastObject", NONE),
              Map.entry("gatherObjects", NONE),
              Map.entry("allGatherObjects", NONE),
              Map.entry("scatterObjects", NONE),
              Map.entry("reduceObject", NONE),
              Map.entry("allReduceObject", NONE),
              Map.entry("ssend", Set.of(Kept.COMPLETION)),
              Map.entry("issend", Set.of(Kept.COMPLETION)),
              Map.entry("send", NONE),
              Map.entry("isend", NONE),
              Map.entry("bsend", REFUSAL),
              Map.entry("ibsend", REFUSAL),
              Map.entry("rsend", NONE),
              Map.entry("irsend", NONE),
              Map.entry("attachBuffer", NONE),
              Map.entry("barrier", NONE),
              Map.entry("bcast", NONE),
              Map.entry("gather", NONE),
              Map.entry("gatherv", NONE),
              Map.entry("scatter", NONE),
              Map.entry("scatterv", NONE),
              Map.entry("allGather", NONE),
              Map.entry("allGatherv", NONE),
              Map.entry("allToAll", NONE),
              Map.entry("allToAllv", NONE),
              Map.entry("reduce", NONE),
              Map.entry("allReduce", NONE),
              Map.entry("reduceScatter", NONE),
              Map.entry("scan", NONE),
              Map.entry("exScan", NONE),
              Map.entry("dup", NONE),
              Map.entry("split", NONE),
              Map.entry("create", NONE),
              Map.entry("close", NONE),
              Map.entry("group", NONE),
              Map.entry("compare", NONE),
              Map.entry("rank", NONE),
              Map.entry("size", NONE),
              Map.entry("state", NONE), // where ranks are replaced, none is missing
              Map.entry("failed", NONE),
              Map.entry("ackFailed", NONE),
              Map.entry("agree", NONE),
              Map.entry("shrink", NONE),
              Map.entry("revoke", NONE),
              Map.entry("abort", NONE)),
          Message.class, // which the probe has determined
          Map.ofEntries(
              Map.entry("status", NONE),
              Map.entry("recv", NONE),
              Map.entry("irecv", NONE),
              Map.entry("recvObject", NONE)),
          Request.class,
          Map.ofEntries(
              Map.entry("waitFor", NONE),
              Map.entry("waitAll", NONE),
              Map.entry("test", ANSWER),
              Map.entry("status", ANSWER),
              Map.entry("waitAny", ANSWER),
              Map.entry("waitSome", ANSWER),
              Map.entry("testAll", ANSWER),
              Map.entry("testAny", ANSWER),
              Map.entry("testSome", ANSWER),
              Map.entry("cancel", Set.of(Kept.CANCELLED, Kept.ANSWER))),
          Fmi.class,
          Map.ofEntries(
              Map.entry("loop", NONE),
              Map.entry("nextIteration", NONE),
              Map.entry("endLoop", NONE),
              Map.entry("loopWhile", Set.of(Kept.DECISION)),
              Map.entry("flowLoop", NONE), // in which no rank rolls back alone
              Map.entry("flowLoopWhile", NONE),
              Map.entry("world", NONE),
              Map.entry("epoch", NONE), // which only reports, and rises in both modes
              Map.entry("state", NONE), // which only reports
              Map.entry("listen", NONE), // on a thread that must not communicate
              Map.entry("afterRestore", NONE), // must not communicate
              Map.entry("requestCheckpoint", NONE), // at a place that all ranks agree on
              Map.entry("init", NONE),
              Map.entry("close", NONE)));

  /** A new call of the API must be classified here. */
  @Test
  void classifiesEachCallAsChoiceOrNot() {
    CALLS.forEach(
        (type, calls) -> {
          Set<String> names = new TreeSet<>();
          for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())) {
              names.add(method.getName());
            }
          }
          assertThat(calls.keySet()).as("%s", type).containsExactlyInAnyOrderElementsOf(names);
        });
    Set<Kept> all = new TreeSet<>();
    CALLS.values().forEach(calls -> calls.values().forEach(all::addAll));
    assertThat(all).containsExactly(Kept.values());
  }
}
