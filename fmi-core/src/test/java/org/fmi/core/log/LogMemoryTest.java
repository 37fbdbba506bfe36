package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.Datatype.Predefined;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.MessageTag;
import org.fmi.wire.Memory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares a log's memory with lists of arrays. */
final class LogMemoryTest {
  private static final int CONTEXT = Contexts.pointToPoint(Contexts.WORLD);
  private static final int DESTS = 3;
  private static final long MOST = 4 << 20;

  private final LogMemory memory = new LogMemory();

  /** The expected messages to each rank; those from before the mark come first. */
  private static final class Model {
    final SentTo chain = new SentTo();
    final List<byte[]> messages = new ArrayList<>();
    int marked;
  }

  private static byte[] message(SplittableRandom random) {
    int bits = random.nextInt(20);
    byte[] data = new byte[random.nextInt(1 << bits)];
    random.nextBytes(data);
    return data;
  }

  private void add(Model to, boolean marked, byte[] data) {
    int last = to.messages.size();
    long position = memory.add(CONTEXT + last, last, data, 0, data.length);
    to.chain.add(memory, position, marked);
    to.messages.add(data);
  }

  private void check(Model to) {
    long position = to.chain.first;
    for (int i = 0; i < to.messages.size(); i++) {
      byte[] expected = to.messages.get(i);
      assertThat(memory.length(position)).isEqualTo(expected.length);
      memory.read(
          position,
          (from, at, length, context, tag) -> {
            byte[] data = new byte[Math.toIntExact(length)];
            Memory.copy(from, at, data, 0, length);
            assertThat(data).isEqualTo(expected);
            assertThat(context - CONTEXT).isEqualTo((int) tag);
          });
      position = memory.next(position);
    }
    assertThat(position).isEqualTo(LogMemory.NONE);
  }

  /** Memory may be freed and reused meanwhile. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void holdsTheMessagesSinceTheRecoveryLine(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    memory.most(MOST);
    List<Model> all = new ArrayList<>();
    for (int dest = 0; dest < DESTS; dest++) {
      all.add(new Model());
    }
    boolean marked = false;
    for (int step = 0; step < 500; step++) {
      int what = random.nextInt(40);
      if (what == 0) {
        memory.clear();
        all.forEach(m -> m.chain.clear());
        all.forEach(m -> m.messages.clear());
        marked = false;
      } else if (what == 1) {
        memory.mark();
        all.forEach(m -> m.chain.mark());
        all.forEach(m -> m.marked = m.messages.size());
        marked = true;
      } else if (what == 2 && marked) {
        memory.cut();
        all.forEach(m -> m.chain.cut());
        all.forEach(m -> m.messages.subList(0, m.marked).clear());
        marked = false;
      } else {
        add(all.get(random.nextInt(DESTS)), marked, message(random));
      }
      if (step % 20 == 0 || what < 3) {
        all.forEach(this::check);
      }
    }
  }

  @Test
  void hasTheTypesOfItsMessages() {
    memory.most(MOST);
    long ints = MessageTag.of(Predefined.INT, 7);
    long position = memory.add(CONTEXT, ints, new int[4], 0, 16);
    memory.read(position, (_, _, _, _, tag) -> assertThat(tag).isEqualTo(ints));
  }

  @Test
  void isNativeAndReused() {
    memory.most(MOST);
    List<Long> before = addresses();
    memory.clear();
    assertThat(addresses()).isEqualTo(before);
    memory.mark();
    List<Long> others = addresses();
    assertThat(others).doesNotContainAnyElementsOf(before);
    memory.cut();
    memory.mark();
    assertThat(addresses()).isEqualTo(before);
  }

  /** A length of a short or a long message. */
  private List<Long> addresses() {
    List<Long> addresses = new ArrayList<>();
    for (int length = 1; length < 1 << 20; length *= 3) {
      long position = memory.add(CONTEXT, 1, new byte[length], 0, length);
      memory.read(
          position,
          (from, at, _, _, _) -> {
            assertThat(from.isNative()).isTrue();
            addresses.add(from.address() + at);
          });
    }
    return addresses;
  }

  /** Messages of varying lengths per interval do not make the memory grow forever. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void exceedsItsLimitByLittle(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    memory.most(MOST);
    for (int interval = 0; interval < 50; interval++) {
      byte[] data = new byte[random.nextInt(1 << (1 + random.nextInt(20)))];
      for (long bytes = LogMemory.bytes(data.length);
          bytes <= MOST;
          bytes += LogMemory.bytes(data.length)) {
        memory.add(CONTEXT, 1, data, 0, data.length);
      }
      assertThat(memory.held()).isLessThan(2 * MOST + (2 << 20));
      memory.clear();
    }
  }
}
