package org.fmi.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReceiveQueueTest {
  @Test
  void buffersComeOutInTheirOrder() {
    ReceiveQueue queue = new ReceiveQueue(3);
    int in = 0;
    int out = 0;
    for (int fill = 0; fill < 20; fill++) {
      while (!queue.isFull()) {
        queue.add(- ++in, 100 + in);
      }
      assertThat(in - out).isEqualTo(3);
      for (int i = 0; i <= fill % 3; i++) {
        out++;
        assertThat(queue.id()).isEqualTo(-out);
        assertThat(queue.address()).isEqualTo(100 + out);
        queue.remove();
      }
    }
    while (!queue.isEmpty()) {
      assertThat(queue.id()).isEqualTo(- ++out);
      queue.remove();
    }
    assertThat(out).isEqualTo(in);
  }
}
