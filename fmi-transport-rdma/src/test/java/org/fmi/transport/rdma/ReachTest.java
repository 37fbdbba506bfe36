package org.fmi.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.fmi.transport.rdma.RdmaFaultsTest.EPOCH;
import static org.fmi.transport.rdma.RdmaFaultsTest.NOTHING;
import static org.fmi.transport.rdma.RdmaFaultsTest.config;
import static org.fmi.transport.rdma.RdmaFaultsTest.connect;
import static org.fmi.transport.rdma.RdmaFaultsTest.frame;
import static org.fmi.transport.rdma.RdmaFaultsTest.secret;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.support.Seeds;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Verbs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of more ranks than a device can have connections to. */
class ReachTest {
  private static int reached(int rank, int size, int connections) {
    int reached = 0;
    for (int other = 0; other < size; other++) {
      reached += other != rank && Reach.between(rank, other, size, connections) ? 1 : 0;
    }
    return reached;
  }

  @Test
  void eachEndHasRoomForTheOther() {
    for (int size = 2; size < 200; size++) {
      for (int connections = 1; connections < size + 2; connections++) {
        int all = reached(size / 3, size, connections);
        assertThat(all).as("%s of %s", connections, size).isLessThanOrEqualTo(connections);
        for (int other = 0; other < size; other++) {
          assertThat(Reach.between(0, other, size, connections))
              .isEqualTo(Reach.between(other, 0, size, connections));
        }
      }
      assertThat(reached(0, size, size - 1)).isEqualTo(size - 1);
    }
  }

  /** Trees, and the exchanges that agree on a recovery, use powers of two. */
  @ParameterizedTest
  @ValueSource(ints = {8119, 10_000, 65_536, 1_000_000})
  void theRestIsNextToARankOrAPowerOfTwoAway(int size) {
    int connections = 8116;
    assertThat(reached(17, size, connections)).isBetween(connections - 50, connections);
    for (int distance = 1; distance < size; distance *= 2) {
      assertThat(Reach.between(17, (17 + distance) % size, size, connections)).isTrue();
    }
    assertThat(Reach.between(17, 17 + 4000, size, connections)).isTrue();
  }

  @Test
  void reportsOnlyALimitedReach() throws IOException {
    for (String host : List.of("10.0.0.1", "fe80::1")) {
      RdmaEndpoint endpoint =
          new RdmaEndpoint(
              new byte[RdmaEndpoint.NONCE_BYTES],
              new InetSocketAddress(InetAddress.getByName(host), 65_000));
      byte[] whole = Reach.publish(endpoint, 99, 100);
      assertThat(whole).isEqualTo(endpoint.bytes());
      assertThat(Reach.connections(whole)).isEqualTo(Integer.MAX_VALUE);
      byte[] limited = Reach.publish(endpoint, 98, 100);
      assertThat(Reach.connections(limited)).isEqualTo(98);
      for (byte[] each : List.of(whole, limited)) {
        assertThat(Reach.endpoint(each).address()).isEqualTo(endpoint.address());
      }
    }
  }

  // ---- capacities of devices

  /** With the buffers of newer and of older devices, and with few completions. */
  @ParameterizedTest
  @CsvSource({
    "100, 32767, 4194304, 100, 64",
    "8116, 32767, 4194304, 8116, 64",
    "8117, 32767, 4194304, 8116, 64",
    "1000000, 32767, 4194304, 8116, 64",
    "1000000, 16383, 4194304, 4020, 64",
    "1000000, 32768, 32768, 1624, 16"
  })
  void connectionsAreAsManyAsFit(
      int peers, int receives, int completions, int connections, int depth) throws IOException {
    Capacity capacity = Capacity.of(new Verbs.Limits(1 << 10, receives, completions), peers, false);
    assertThat(capacity).isEqualTo(new Capacity(connections, depth));
    Verbs.Sizes sizes = capacity.sizes(256);
    assertThat(sizes.receives()).isLessThanOrEqualTo(receives);
    assertThat(sizes.completions())
        .isEqualTo(sizes.receives() + connections * depth)
        .isLessThanOrEqualTo(completions);
  }

  @Test
  void withoutAnotherTransportAllRanksMustFit() throws IOException {
    Verbs.Limits limits = new Verbs.Limits(1 << 10, 1 << 10, 1 << 16);
    assertThat(Capacity.of(limits, 196, true).connections()).isEqualTo(196);
    assertThatThrownBy(() -> Capacity.of(limits, 197, true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too small for 197 peers");
    assertThat(Capacity.of(limits, 197, false).connections()).isEqualTo(196);
    assertThatThrownBy(() -> Capacity.of(new Verbs.Limits(1 << 10, 63, 1 << 16), 1, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too small");
  }

  @Test
  void withTcpLeftOutATransportThatReachesFewIsRefused() {
    SimulatedFabric fabric = new SimulatedFabric(1);
    RankConfig config = config(0, 500, secret(1)).withTransports(List.of("shm", "rdma"));
    assertThatThrownBy(
            () ->
                new RdmaTransport(
                    config, EPOCH, fabric.device(), NOTHING, w -> {}, Diagnostics.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too small for 499 peers");
  }

  // ---- all ranks at once

  private static final class Side implements FrameHandler {
    final int rank;
    final SimulatedFabric.Device device;
    final RdmaTransport transport;
    final int[] left;
    final int[] received;
    final List<String> lost = new ArrayList<>();

    Side(int rank, int size, int frames, int buffers, SimulatedFabric fabric) throws IOException {
      this.rank = rank;
      device = fabric.device();
      device.setLimits(new Verbs.Limits(1 << 10, buffers, 1 << 16));
      transport =
          new RdmaTransport(
              config(rank, size, secret(1)), EPOCH, device, NOTHING, w -> {}, Diagnostics.NONE);
      left = new int[size];
      received = new int[size];
      for (int peer = 0; peer < size; peer++) {
        left[peer] = frames;
      }
    }

    boolean step(SplittableRandom random) {
      int peer = random.nextInt(left.length);
      if (left[peer] > 0 && transport.reaches(peer) && transport.offer(peer, frame(left[peer]))) {
        left[peer]--;
        return true;
      }
      return transport.poll(this) > 0;
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      received[peer]++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost.add(reason);
    }
  }

  /**
   * All ranks send to all ranks that they reach, at once. No message finds a receiver without a
   * buffer, and no message exceeds the device's room: the simulated devices assert that.
   */
  @Test
  void allThatReachEachOtherSpeakAtOnce() throws IOException {
    Seeds.forMillis(
        700,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          SimulatedFabric fabric = new SimulatedFabric(seed);
          int size = 8 + random.nextInt(12);
          int frames = 1 + random.nextInt(40);
          List<Side> sides = new ArrayList<>();
          for (int rank = 0; rank < size; rank++) {
            // Room for one, three, five and seven connections: not the same for all ranks.
            sides.add(new Side(rank, size, frames, 64 * (1 + random.nextInt(4)), fabric));
          }
          connect(sides.stream().map(side -> side.transport).toArray(RdmaTransport[]::new));
          for (int i = 1; i % 1000 != 0 || !allHaveCome(sides, frames); i++) {
            assertThat(i).as("steps").isLessThan(3_000_000);
            if (random.nextInt(3) == 0) {
              boolean _ = fabric.step();
            } else {
              boolean _ = sides.get(random.nextInt(size)).step(random);
            }
          }
          for (Side side : sides) {
            assertThat(side.lost).isEmpty();
            side.device.hurry();
          }
          sides.forEach(side -> side.transport.close());
        });
  }

  private static boolean allHaveCome(List<Side> sides, int frames) {
    for (Side to : sides) {
      for (Side from : sides) {
        boolean reached = from.transport.reaches(to.rank);
        assertThat(to.transport.reaches(from.rank)).isEqualTo(reached);
        if (reached && to.received[from.rank] < frames) {
          return false;
        }
      }
    }
    return true;
  }
}
