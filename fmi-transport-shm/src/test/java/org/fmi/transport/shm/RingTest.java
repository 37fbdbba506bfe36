package org.fmi.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.fmi.spi.FrameHandler;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingTest {
  private static final long SEED = 42;

  /** The smallest ring there is, so that it wraps around often. */
  private static final RingLayout SMALL = RingLayout.of(64);

  private final MemorySegment memory = memory(SMALL);
  private final OutRing out =
      new OutRing(memory, SMALL, new Inbox(Arena.ofAuto().allocate(Inbox.bytes(2), 64)));
  private final InRing in = new InRing(1, memory, SMALL, null);
  private final Frame frame = new Frame();
  private final byte[] payload = new byte[ShmTransport.MAX_PAYLOAD];

  /** Each byte one more than the one before. */
  private static final MemorySegment COUNTING = counting(0x100 + ShmTransport.MAX_PAYLOAD);

  private static MemorySegment memory(RingLayout layout) {
    return Arena.ofAuto().allocate(layout.fileBytes(), 4096);
  }

  private static MemorySegment counting(int bytes) {
    byte[] all = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      all[i] = (byte) i;
    }
    return MemorySegment.ofArray(all);
  }

  /** Takes frames and checks that they are the frames of {@link #offer}, from number 0 on. */
  private static final class Checker implements FrameHandler {
    int frames;

    @Override
    public void onFrame(int peer, MemorySegment at, long offset) {
      assertThat(peer).isEqualTo(1);
      check(at, offset, frames++);
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      throw new AssertionError(reason);
    }
  }

  private static int length(int n) {
    SplittableRandom random = new SplittableRandom(SEED + n);
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(ShmTransport.MAX_PAYLOAD + 1);
      case 1 -> ShmTransport.MAX_PAYLOAD;
      default -> random.nextInt(2 * RingLayout.INLINE_BYTES);
    };
  }

  /** The offset in {@link #COUNTING} of a frame's payload. */
  private static long first(int n) {
    return n * 31L & 0xff;
  }

  private boolean offer(int n, int length) {
    frame.kind = 3;
    frame.epoch = n + 1;
    frame.sequence = n;
    frame.base = payload;
    frame.payload = length;
    MemorySegment.copy(COUNTING, first(n), MemorySegment.ofArray(payload), 0, length);
    return out.offer(frame);
  }

  private static void check(MemorySegment at, long offset, int n) {
    assertThat(at.get(FrameLayout.BYTE, offset + FrameLayout.KIND)).isEqualTo((byte) 3);
    assertThat(at.get(FrameLayout.INT, offset + FrameLayout.EPOCH)).isEqualTo(n + 1);
    assertThat(at.get(FrameLayout.LONG, offset + FrameLayout.SEQUENCE)).isEqualTo(n);
    int length = at.get(FrameLayout.INT, offset + FrameLayout.PAYLOAD);
    long from = offset + FrameLayout.HEADER_BYTES;
    long wrong =
        MemorySegment.mismatch(at, from, from + length, COUNTING, first(n), first(n) + length);
    assertThat(wrong).as("wrong byte of frame %d of %d bytes", n, length).isEqualTo(-1);
  }

  @Test
  void framesOfEveryLengthPassOneByOne() {
    Checker checker = new Checker();
    for (int n = 0; n <= ShmTransport.MAX_PAYLOAD; n++) {
      assertThat(offer(n, n)).isTrue();
      assertThat(in.ready()).isTrue();
      assertThat(in.poll(checker)).isOne();
      in.publish();
      assertThat(in.poll(checker)).isZero();
    }
  }

  @Test
  void aFullRingRefusesUntilTheReaderContinuesAndLosesNothing() {
    Checker checker = new Checker();
    SplittableRandom random = new SplittableRandom(SEED);
    int refusals = 0;
    for (int n = 0; n < 20_000; ) {
      if (offer(n, length(n))) {
        n++;
      } else {
        refusals++;
        assertThat(out.hasRoomAgain()).isFalse();
        int before = checker.frames;
        while (checker.frames == before || random.nextInt(3) > 0) {
          if (in.poll(checker) == 0) {
            break;
          }
          assertThat(in.publish()).as("a writer waits, seed %s", SEED).isTrue();
        }
        assertThat(checker.frames).isGreaterThan(before);
        assertThat(out.hasRoomAgain()).isTrue();
      }
    }
    assertThat(refusals).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, RingLayout.INLINE_BYTES, RingLayout.INLINE_BYTES + 1, 16384})
  void aFrameIsInvisibleUntilItsCommitWord(int length) {
    Checker checker = new Checker();
    // Laps of frames whose payload is full of possible commit words.
    for (int n = 0; n < 3 * SMALL.cells(); n++) {
      assertThat(offer(n, length)).isTrue();
      long cell = RingLayout.cell(n, SMALL.cells() - 1);
      long commit = memory.get(FrameLayout.LONG, cell);
      // As if the writer were killed just before: data of the previous lap must not pass for the
      // commit word.
      long before = n < SMALL.cells() ? 0 : RingLayout.commit(n - SMALL.cells()) + (commit & 1);
      memory.set(FrameLayout.LONG, cell, before);
      assertThat(in.ready()).isFalse();
      assertThat(in.poll(checker)).isZero();
      memory.set(FrameLayout.LONG, cell, commit);
      assertThat(in.poll(checker)).isOne();
      in.publish();
    }
  }

  @Test
  void aHandlerThatThrowsDoesNotGetTheFrameAgain() {
    offer(0, 8);
    offer(1, 5000);
    offer(2, 8);
    int[] calls = new int[1];
    FrameHandler thrower =
        new FrameHandler() {
          @Override
          public void onFrame(int peer, MemorySegment at, long offset) {
            check(at, offset, calls[0]++);
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void onPeerLost(int peer, String reason) {}
        };
    for (int n = 0; n < 3; n++) {
      assertThatThrownBy(() -> in.poll(thrower)).hasMessage("on purpose");
    }
    assertThat(in.poll(thrower)).isZero();
    assertThat(calls[0]).isEqualTo(3);
  }

  @Test
  void aPayloadThatCannotBeReadTakesNoRoom() {
    Frame bad = new Frame();
    bad.kind = 3;
    bad.payload = ShmTransport.MAX_PAYLOAD;
    try (Arena arena = Arena.ofConfined()) {
      bad.base = arena.allocate(ShmTransport.MAX_PAYLOAD);
    }
    for (int n = 0; n < 100; n++) {
      assertThatThrownBy(() -> out.offer(bad)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(in.ready()).isFalse();
    Checker checker = new Checker();
    for (int n = 0; n < 2 * SMALL.cells(); n++) {
      assertThat(offer(n, ShmTransport.MAX_PAYLOAD)).isTrue();
      assertThat(in.poll(checker)).isOne();
      in.publish();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, RingLayout.INLINE_BYTES + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void aCellHoldsNoMoreThanItsRoom(int length) {
    offer(0, 8);
    assertThat(in.poll(new Checker())).isOne();
    Checker before = new Checker();
    before.frames = 1;
    offer(1, RingLayout.INLINE_BYTES);
    assertThat(in.poll(before)).as("the longest").isOne();
    offer(2, 8);
    long cell = RingLayout.cell(2, SMALL.cells() - 1) + RingLayout.IN_CELL;
    memory.set(FrameLayout.INT, cell + FrameLayout.PAYLOAD, length);
    assertThatThrownBy(() -> in.poll(before))
        .isInstanceOf(DamagedRing.class)
        .hasMessageContaining("frame 2 has " + length + " bytes in a cell");
    assertThat(before.frames).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1 << 16, (1 << 16) - 64, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void dataDoNotLeaveTheDataArea(int length) {
    assertThat(SMALL.dataBytes()).isEqualTo(1 << 16);
    offer(0, 5000);
    assertThat(in.poll(new Checker())).isOne();
    offer(1, 5000);
    long position = RingLayout.dataBytes(5000);
    long at = SMALL.data() + position + RingLayout.IN_DATA;
    memory.set(FrameLayout.INT, at + FrameLayout.PAYLOAD, length);
    isDamagedAfterOne("frame 1 has " + length + " bytes at position " + position);
  }

  @ParameterizedTest
  @ValueSource(longs = {-64, 0, 5000, 1 << 16, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE})
  void dataAreWhereTheWriterPutsThem(long position) {
    offer(0, 5000);
    assertThat(in.poll(new Checker())).isOne();
    offer(1, 5000);
    long cell = RingLayout.cell(1, SMALL.cells() - 1) + RingLayout.IN_CELL;
    memory.set(FrameLayout.LONG, cell, position);
    isDamagedAfterOne("frame 1 is at position " + position);
  }

  private void isDamagedAfterOne(String what) {
    Checker checker = new Checker();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> in.poll(checker))
          .isInstanceOf(DamagedRing.class)
          .hasMessageContaining(what);
    }
    assertThat(checker.frames).as("frames behind it").isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 65, Long.MAX_VALUE, Long.MIN_VALUE})
  void noMoreIsReadThanWritten(long read) {
    assertThat(SMALL.cells()).isEqualTo(64);
    for (int n = 0; n < 64; n++) {
      assertThat(offer(n, 8)).isTrue();
    }
    memory.set(FrameLayout.LONG, RingLayout.CELLS_READ, read);
    assertThatThrownBy(() -> offer(64, 8))
        .isInstanceOf(DamagedRing.class)
        .hasMessage(read + " frames and 0 bytes were read, of 64 and 0");
    memory.set(FrameLayout.LONG, RingLayout.CELLS_READ, 0L);
    memory.set(FrameLayout.LONG, RingLayout.DATA_READ, read);
    assertThatThrownBy(() -> offer(64, 8)).isInstanceOf(DamagedRing.class);
  }

  @Test
  void ringsShrinkWithTheNumberOfRanks() {
    for (int ranks = 1; ranks <= 256; ranks++) {
      RingLayout layout = RingLayout.of(ranks);
      assertThat(RingLayout.ofFile(layout.fileBytes())).isEqualTo(layout);
      assertThat(Integer.bitCount(layout.cells())).isOne();
      assertThat(Integer.bitCount(layout.dataBytes())).isOne();
      assertThat(layout.dataBytes()).isBetween(64 << 10, 2 << 20);
      if (ranks <= 32) {
        assertThat((long) ranks * (ranks - 1) * layout.dataBytes()).isLessThanOrEqualTo(64 << 20);
      }
    }
    assertThat(RingLayout.of(64).fileBytes()).isEqualTo(76 << 10);
  }

  @Test
  void ringsTakeWhatReadmeSays() {
    int[] ranks = {1, 2, 4, 8, 16, 32, 64};
    assertThat(Arrays.stream(ranks).mapToLong(n -> Math.round(RingLayout.nodeBytes(n) / 0x1p20)))
        .containsExactly(0L, 4L, 25L, 58L, 63L, 74L, 299L);
  }

  @Test
  void threadsCross() throws InterruptedException {
    int frames = 200_000;
    Checker checker = new Checker();
    Thread writer =
        new Thread(
            () -> {
              for (int n = 0; n < frames; ) {
                if (offer(n, length(n) % 1000)) {
                  n++;
                } else {
                  Thread.onSpinWait();
                }
              }
            });
    writer.start();
    while (checker.frames < frames && (writer.isAlive() || in.ready())) {
      in.poll(checker);
      in.publish();
    }
    writer.join();
    assertThat(checker.frames).as("seed %s", SEED).isEqualTo(frames);
  }
}
