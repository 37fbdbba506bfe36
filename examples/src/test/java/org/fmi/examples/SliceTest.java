package org.fmi.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SliceTest {
  @Test
  void slicesAreConsecutiveAndOfAlmostEqualSize() {
    for (int n = 0; n < 50; n++) {
      for (int parts = 1; parts < 12; parts++) {
        int next = 0;
        for (int part = 0; part < parts; part++) {
          Slice slice = Slice.of(n, parts, part);
          assertThat(slice.first()).isEqualTo(next);
          assertThat(slice.count()).isBetween(n / parts, (n + parts - 1) / parts);
          for (int i = 0; i < n; i++) {
            boolean inside = next <= i && i < next + slice.count();
            assertThat(slice.contains(i)).isEqualTo(inside);
            assertThat(Slice.partOf(n, parts, i) == part).isEqualTo(inside);
          }
          next += slice.count();
        }
        assertThat(next).isEqualTo(n);
      }
    }
  }
}
