package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each peer that may send has a buffer, however many peers there are and however much they claim.
 */
class ReceivePoolTest {
  private static final int PEERS = 190;

  private final Arena arena = Arena.ofConfined();
  private final SimulatedFabric.Device device = new SimulatedFabric(1).device();
  private final ReceivePool pool = new ReceivePool(device, arena);

  /** By connection: the number of frames that may be in flight. */
  private final int[] rights = new int[PEERS];

  private int joined;

  @AfterEach
  void free() {
    arena.close();
  }

  private void join() throws IOException {
    pool.join();
    rights[joined++] = ReceivePool.BASE;
  }

  private void claimAll() {
    for (int c = 0; c < joined; c++) {
      while (pool.claim(rights[c])) {
        rights[c]++;
      }
    }
  }

  private int rights() {
    return Arrays.stream(rights).sum() + joined * ReceivePool.EMPTY;
  }

  @Test
  void rightsNeverExceedBuffers() throws IOException {
    pool.prepare();
    while (joined < PEERS) {
      join();
      claimAll();
      assertThat(rights()).as("rights of %s", joined).isLessThanOrEqualTo(device.posted());
      assertThat(device.posted()).isLessThanOrEqualTo(ReceivePool.most(joined));
      assertThat(rights[Math.min(joined, 8) - 1]).isEqualTo(ReceivePool.WINDOW);
    }
  }

  @Test
  void aClosedConnectionReturnsItsCredit() throws IOException {
    pool.prepare();
    for (int round = 0; round < PEERS; round++) {
      pool.join();
      pool.leave();
    }
    assertThat(device.posted()).isEqualTo(64);
    while (joined < 20) {
      join();
      pool.join();
      pool.leave();
      claimAll();
      assertThat(rights()).as("rights of %s", joined).isLessThanOrEqualTo(device.posted());
    }
  }

  /** The first, some, and the last buffer of the second slab. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 63})
  void postsRefusedBuffersLater(int after) throws IOException {
    pool.prepare();
    join();
    device.refuseBuffer(after);
    assertThatThrownBy(pool::join).hasMessageContaining("cannot post");
    while (joined < 20) {
      join();
      claimAll();
      assertThat(rights()).as("rights of %s", joined).isLessThanOrEqualTo(device.posted());
    }
    assertThat(device.posted()).isEqualTo(ReceivePool.most(joined));
  }

  @Test
  void repostsABufferAfterItsFrame() throws IOException {
    pool.prepare();
    while (joined < 20) {
      join();
    }
    claimAll();
    int all = rights();
    for (int c = 0; c < joined; c++) {
      rights[c]--;
      pool.arrived();
      claimAll();
      assertThat(rights()).isEqualTo(all);
    }
  }
}
