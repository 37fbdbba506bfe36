package org.fmi.ckpt.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

final class JoinedSumTest {
  @Test
  void isTheSumOfBoth() {
    byte[] bytes = new byte[300_000];
    new SplittableRandom(1).nextBytes(bytes);
    for (int at : new int[] {0, 1, 63, 64, 4096, 100_001, 262_144, 299_999, 300_000}) {
      int joined = JoinedSum.of(sum(bytes, 0, at), sum(bytes, at, 300_000), 300_000 - at);
      assertThat(joined).as("cut at %d", at).isEqualTo(sum(bytes, 0, 300_000));
    }
  }

  private static int sum(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }
}
