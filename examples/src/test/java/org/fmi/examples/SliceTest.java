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
          next += slice.count();
        }
        assertThat(next).isEqualTo(n);
      }
    }
  }
}
