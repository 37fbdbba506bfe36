package org.fmi.ckpt.xor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.fmi.spi.CheckpointId;
import org.fmi.testkit.contract.StoreGroup;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.Test;

/** A checkpoint of more than 2 GiB next to small ones; takes 8 GiB of memory. */
@Wide
final class LargeImageIT {
  private static final long[] SIZES = {(2L << 30) + 1_234_568, 1 << 20, 8};

  private static void fill(MemorySegment image, long seed) {
    for (long at = 0; at < image.byteSize(); at += Long.BYTES) {
      image.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (at + seed) * 0x9E3779B97F4A7C15L);
    }
  }

  private static void assertFilled(MemorySegment image, long seed) {
    for (long at = 0; at < image.byteSize(); at += Long.BYTES) {
      if (image.get(ValueLayout.JAVA_LONG_UNALIGNED, at) != (at + seed) * 0x9E3779B97F4A7C15L) {
        throw new AssertionError("differs at " + at);
      }
    }
  }

  @Test
  void rebuildsALargeImageAndWithItOtherImages() throws Exception {
    CheckpointId id = StoreGroup.id(1);
    try (StoreGroup group =
        new StoreGroup(
            SIZES.length, (rank, all, comm, node) -> new XorStore(rank, all, 1, comm, node))) {
      group.run(
          (store, i) -> {
            fill(store.begin(id, SIZES[i]), i);
            store.protect(id);
          });
      for (int lost : new int[] {0, 1}) {
        group.loseNode(lost);
        int[] lostRank = {group.rank(lost)};
        group.run((store, i) -> store.rebuild(id, lostRank));
      }
      for (int i = 0; i < SIZES.length; i++) {
        MemorySegment image = group.store(i).image(id);
        assertThat(image.byteSize()).isEqualTo(SIZES[i]);
        assertFilled(image, i);
      }
    }
  }
}
