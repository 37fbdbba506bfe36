package org.fmi.core.p2p;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.fmi.Request;
import org.fmi.wire.Memory;
import org.junit.jupiter.api.Test;

/** Numbers and copies; whole ranks are tried in {@code LocalRollbackSimulationTest}. */
final class MessageLogTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int SYSTEM = Contexts.pointToPoint(Contexts.SYSTEM);

  private final List<String> told = new ArrayList<>();

  private final MessageLog.Listener listener =
      new MessageLog.Listener() {
        @Override
        public void caughtUp() {
          told.add("caught up");
        }

        @Override
        public void chooses(Choice choice) {
          told.add(choice.text());
        }
      };

  private MessageLog log = begun(1 << 20);

  private MessageLog begun(long limit) {
    MessageLog begun = new MessageLog(2, limit, listener);
    begun.line(true);
    return begun;
  }

  private boolean sends(int length) {
    return log.sends(new byte[length], 0, length, 1, CONTEXT, length);
  }

  private static long[] bits(int... numbers) {
    BitSet bits = new BitSet();
    for (int number : numbers) {
      bits.set(number);
    }
    return bits.toLongArray();
  }

  @Test
  void messagesAreNumberedFromALineOn() {
    assertThat(log.arrives(1, CONTEXT)).isZero();
    assertThat(log.arrives(1, Contexts.collectives(Contexts.WORLD))).isOne();
    assertThat(log.arrives(0, CONTEXT)).isZero();
    assertThat(log.arrives(1, SYSTEM)).isEqualTo(MessageLog.NO_NUMBER);
    log.line(true);
    assertThat(log.arrives(1, CONTEXT)).isZero();
    log.line(false);
    assertThat(log.arrives(1, CONTEXT)).isEqualTo(MessageLog.NO_NUMBER);
  }

  @Test
  void whatHasNotComeIsNumberedAgainInOrder() {
    for (int i = 0; i < 4; i++) {
      assertThat(log.arrives(1, CONTEXT)).isEqualTo(i);
    }
    log.comes(1, 0);
    log.comes(1, 2);
    assertThat(log.come(1)).isEqualTo(bits(0, 2));
    log.enterEpoch();
    assertThat(log.arrives(1, CONTEXT)).isEqualTo(1);
    log.comes(1, 1);
    assertThat(log.arrives(1, CONTEXT)).isEqualTo(3);
    assertThat(log.arrives(1, CONTEXT)).isEqualTo(4);
  }

  @Test
  void whatHasComeIsLeftOutUntilTheRankHasCaughtUp() {
    log.hasCome(1, bits(0, 2));
    assertThat(log.isBehind()).isTrue();
    assertThat(sends(8)).isFalse();
    assertThat(sends(8)).isTrue();
    assertThat(told).isEmpty();
    assertThat(sends(8)).isFalse();
    assertThat(told).containsExactly("caught up");
    assertThat(log.isBehind()).isFalse();
    assertThat(sends(8)).isTrue();
    assertThat(log.hasCome(1, 1)).isFalse();
    assertThat(log.count(1)).isEqualTo(4);
  }

  /** Pieces of memory end, and long messages have one of their own. */
  @Test
  void theLogHoldsWhatWasSent() {
    int[] lengths = {8, 0, 20_000, 3, 2_000_000, 8};
    log = begun(10_000_000);
    for (int i = 0; i < lengths.length; i++) {
      byte[] data = new byte[lengths[i] + 1];
      Arrays.fill(data, (byte) (i + 1));
      assertThat(log.sends(data, 1, lengths[i], 1, CONTEXT, 100 + i)).isTrue();
    }
    for (int i = 0; i < lengths.length; i++) {
      MessageRequest r = new MessageRequest(Ranks.messenger(0, 2));
      log.prepare(r, 1, i);
      assertThat(r.tag).isEqualTo(100 + i);
      assertThat(r.bytes).isEqualTo(lengths[i]);
      byte[] data = new byte[lengths[i]];
      Memory.copy(r.base, r.offset, data, 0, lengths[i]);
      for (byte each : data) {
        assertThat(each).isEqualTo((byte) (i + 1));
      }
    }
  }

  @Test
  void aLogOverItsLimitIsOfNoUseUntilTheNextLine() {
    log = begun(1_000);
    assertThat(sends(500)).isTrue();
    assertThat(log.unusable()).isNull();
    assertThat(sends(500)).isTrue();
    assertThat(log.unusable()).contains("1000 bytes").contains("--log-limit");
    assertThat(log.bytes()).isZero();
    log.line(true);
    assertThat(log.unusable()).isNull();
  }

  @Test
  void choicesAreToldInLoopsOnly() {
    log.chooses(Choice.PROBE);
    log.line(false);
    log.chooses(Choice.TEST);
    assertThat(told).containsExactly(Choice.PROBE.text());
  }

  // ---- the calls of the API

  /** Repeats what it did, given the same messages. */
  private static final Set<Choice> NONE = Set.of();

  private static final Set<Choice> SOURCE = Set.of(Choice.SOURCE);
  private static final Set<Choice> TEST = Set.of(Choice.TEST);

  private static final Map<Class<?>, Map<String, Set<Choice>>> CALLS =
      Map.of(
          Comm.class,
          Map.ofEntries(
              Map.entry("recv", SOURCE),
              Map.entry("irecv", SOURCE),
              Map.entry("sendRecv", SOURCE),
              Map.entry("probe", Set.of(Choice.PROBE)),
              Map.entry("iprobe", Set.of(Choice.PROBE)),
              Map.entry("ssend", Set.of(Choice.SYNCHRONOUS)),
              Map.entry("issend", Set.of(Choice.SYNCHRONOUS)),
              Map.entry("send", NONE),
              Map.entry("isend", NONE),
              Map.entry("bsend", NONE),
              Map.entry("ibsend", NONE),
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
              Map.entry("free", NONE),
              Map.entry("group", NONE),
              Map.entry("compare", NONE),
              Map.entry("rank", NONE),
              Map.entry("size", NONE),
              Map.entry("abort", NONE)),
          Request.class,
          Map.ofEntries(
              Map.entry("waitFor", NONE),
              Map.entry("waitAll", NONE),
              Map.entry("test", TEST),
              Map.entry("status", TEST),
              Map.entry("progress", TEST),
              Map.entry("waitAny", TEST),
              Map.entry("waitSome", TEST),
              Map.entry("testAll", TEST),
              Map.entry("testAny", TEST),
              Map.entry("testSome", TEST),
              Map.entry("cancel", Set.of(Choice.CANCEL))),
          Fmi.class,
          Map.ofEntries(
              Map.entry("loop", NONE),
              Map.entry("endLoop", NONE),
              Map.entry("loopWhile", Set.of(Choice.LOOP_WHILE)),
              Map.entry("world", NONE),
              Map.entry("epoch", NONE), // which only tells, and rises in both modes
              Map.entry("metrics", NONE),
              Map.entry("requestCheckpoint", NONE), // at a place that all agree on
              Map.entry("init", NONE),
              Map.entry("close", NONE)));

  /** A call that the API gets has to be thought of here. */
  @Test
  void eachCallIsKnownToChooseOrNot() {
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
    Set<Choice> all = new TreeSet<>();
    CALLS.values().forEach(calls -> calls.values().forEach(all::addAll));
    assertThat(all).containsExactly(Choice.values());
  }
}
