package org.fmi.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShareTest {
  @Test
  void slicesAreConsecutiveAndOfAlmostEqualSize() {
    for (int n = 0; n < 50; n++) {
      for (int parts = 1; parts < 12; parts++) {
        int next = 0;
        for (int part = 0; part < parts; part++) {
          Share share = Share.of(n, parts, part);
          assertThat(share.first()).isEqualTo(next);
          assertThat(share.count()).isBetween(n / parts, (n + parts - 1) / parts);
          for (int i = 0; i < n; i++) {
            boolean inside = next <= i && i < next + share.count();
            assertThat(share.contains(i)).isEqualTo(inside);
            assertThat(Share.partOf(n, parts, i) == part).isEqualTo(inside);
          }
          next += share.count();
        }
        assertThat(next).isEqualTo(n);
      }
    }
  }
}
