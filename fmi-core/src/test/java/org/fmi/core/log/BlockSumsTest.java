package org.fmi.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares checksums of blocks with a list of all messages. */
final class BlockSumsTest {
  private final BlockSums sums = new BlockSums();
  private final TreeMap<Long, Long> model = new TreeMap<>();

  private void verify() {
    long[] all = sums.all();
    int found = 0;
    for (int i = 0; i < all.length; i += 2) {
      long first = all[i];
      long end = first + BlockSums.MESSAGES;
      if (i + 2 < all.length) {
        assertThat(all[i + 2]).isGreaterThan(first);
        end = Math.min(end, all[i + 2]);
      }
      long sum = 0;
      boolean compared = true;
      for (var each : model.subMap(first, end).entrySet()) {
        found++;
        compared &= each.getValue() != SentTo.NO_SUM;
        sum += BlockSums.mixed(each.getKey() - first, 8, each.getValue());
      }
      assertThat(all[i + 1]).isEqualTo(compared ? sum : BlockSums.NOT_COMPARED);
    }
    assertThat(found).as("each is in one block").isEqualTo(model.size());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void putsEachMessageIntoOneBlock(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long next = random.nextInt(10_000);
    for (int round = 0; round < 20; round++) {
      for (int step = random.nextInt(9_000); step >= 0; step--) {
        // Messages do not arrive in order, and some have a checksum each.
        next += random.nextInt(3);
        long number = Math.max(model.isEmpty() ? 0 : model.firstKey(), next - random.nextInt(50));
        if (model.containsKey(number)) {
          continue;
        }
        long sum = random.nextInt(20_000) == 0 ? SentTo.NO_SUM : random.nextLong();
        model.put(number, sum);
        sums.add(number, 8, sum);
      }
      verify();
      // A recovery line: some messages after it arrive before it is committed.
      long line = next + 1;
      sums.begin(line);
      for (int step = random.nextInt(6_000); step >= 0; step--) {
        next = Math.max(next, line) + 1;
        model.put(next, 5L);
        sums.add(next, 8, 5L);
      }
      verify();
      if (random.nextInt(3) > 0) {
        sums.cut(line);
        TreeMap<Long, Long> behind = new TreeMap<>();
        model.tailMap(line).forEach((number, sum) -> behind.put(number - line, sum));
        model.clear();
        model.putAll(behind);
        next -= line;
        verify();
        assertThat(sums.all().length / 2)
            .as("memory")
            .isLessThanOrEqualTo(Math.toIntExact(next / BlockSums.MESSAGES) + 2);
      }
    }
  }
}
