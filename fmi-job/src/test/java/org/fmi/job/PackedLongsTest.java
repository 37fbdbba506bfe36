package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PackedLongsTest {
  @Test
  void anyNumbersComeBack() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      long[] values = new long[random.nextInt(200)];
      Arrays.setAll(values, _ -> random.nextLong() >> random.nextInt(Long.SIZE));
      PackedLongs packed = new PackedLongs();
      for (int at = 0; at < values.length; ) {
        int to = at + 1 + random.nextInt(values.length - at);
        packed.append(values, at, to);
        at = to;
        assertThat(packed.length()).isEqualTo(at);
      }
      assertThat(packed.toArray()).as("seed %d", seed).isEqualTo(values);
    }
  }

  @Test
  void extremes() {
    long[] values = {
      Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31
    };
    PackedLongs packed = new PackedLongs();
    packed.append(values, 0, values.length);
    assertThat(packed.toArray()).isEqualTo(values);
  }

  /** What a rank receives from any of a thousand ranks: its number, then source and tag. */
  @Test
  void receivesTakeAThirdOfTheirMemory() {
    Random random = new Random(1);
    long[] values = new long[20_000];
    for (int i = 0; i < values.length; i += 2) {
      values[i] = 1L << 56 | i / 2;
      values[i + 1] = (long) random.nextInt(1000) << Integer.SIZE | 17;
    }
    PackedLongs packed = new PackedLongs();
    packed.append(values, 0, values.length);
    assertThat(packed.capacity()).isLessThan(values.length * Long.BYTES / 2);
    assertThat(packed.toArray()).isEqualTo(values);
  }
}
