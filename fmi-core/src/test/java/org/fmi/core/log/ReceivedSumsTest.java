package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.core.p2p.NativePieces;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares checksums of received messages with a list. */
final class ReceivedSumsTest {
  private static final int PIECE = NativePieces.SMALLEST / 16;

  private final NativePieces room = new NativePieces();
  private final ReceivedSums sums = new ReceivedSums(room);

  private record Entry(long length, long sum) {}

  private static final Entry NONE = new Entry(ReceivedSums.NOT_STORED, ReceivedSums.NOT_STORED);

  private List<Entry> first(int count) {
    long[] all = sums.first(count);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < all.length; i += 2) {
      entries.add(new Entry(all[i], all[i + 1]));
    }
    return entries;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void findsEachByNumber(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    room.most(1 << 20);
    List<Entry> model = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      int what = random.nextInt(2_000);
      if (what == 0) {
        int count = random.nextInt(model.size() + 1);
        model.subList(0, count).clear();
        sums.cut(count);
      } else if (what == 1) {
        model.clear();
        sums.clear();
      } else {
        // Messages do not arrive in order.
        int number = model.size() + random.nextInt(3);
        while (model.size() <= number) {
          model.add(NONE);
        }
        model.set(number, new Entry(step, -step));
        sums.put(number, step, -step);
      }
      if (step % 500 == 0 || what < 2) {
        assertThat(first(model.size())).isEqualTo(model);
      }
    }
  }

  /** Later messages are not stored, and not mistaken for others afterwards. */
  @Test
  void mayRunOutOfRoom() {
    room.most(NativePieces.SMALLEST);
    for (int number = 0; number < 2 * PIECE; number++) {
      sums.put(number, number, 7);
    }
    assertThat(first(2 * PIECE)).hasSize(PIECE).contains(new Entry(PIECE - 1, 7));
    sums.cut(PIECE + 10);
    assertThat(first(PIECE - 10)).isEmpty();
    sums.put(PIECE - 10, 1, 2);
    assertThat(first(PIECE - 9)).hasSize(PIECE - 9).endsWith(NONE, new Entry(1, 2));
    assertThat(room.held()).isEqualTo(NativePieces.SMALLEST);
  }
}
