package org.fmi.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import jdk.net.ExtendedSocketOptions;
import org.fmi.net.NetIo;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.fmi.wire.Frame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Connections on a network that is cut in silence. The tests hardly compute: they wait for the
 * system's timers, all at the same time.
 */
@Timeout(120)
class CutNetworkTest {
  private static RankConfig config(int rank, String host, int heartbeatMillis) {
    JobSettings job = RankConfigs.job(2).heartbeatMillis(heartbeatMillis).build();
    return RankConfigs.rank(rank, job).host(host).ranksOnNode(1).build();
  }

  private static Frame frame(int source, int bytes) {
    Frame frame = new Frame();
    frame.context = source;
    frame.base = new byte[bytes];
    frame.payload = bytes;
    return frame;
  }

  /** A rank and the losses reported to it. */
  private static final class Rank implements FrameHandler, AutoCloseable {
    final TcpTransport transport;
    final int rank;
    final List<String> lost = new ArrayList<>();
    int frames;

    Rank(int rank, String host, int heartbeatMillis, NetIo net) throws Exception {
      this.rank = rank;
      this.transport =
          new TcpTransport(config(rank, host, heartbeatMillis), 7, net, 500, 128, warning -> {});
    }

    @Override
    public void onFrame(int peer, MemorySegment memory, long at) {
      frames++;
    }

    @Override
    public void onPeerLost(int peer, String reason) {
      lost.add(reason);
    }

    void until(BooleanSupplier done) {
      while (!done.getAsBoolean()) {
        if (Thread.currentThread().isInterrupted()) {
          throw new AssertionError("given up; lost: " + lost + ", frames: " + frames);
        }
        transport.await(TimeUnit.MILLISECONDS.toNanos(20));
        transport.poll(this);
      }
    }

    void until(long nanos) {
      long begin = System.nanoTime();
      until(() -> System.nanoTime() - begin > nanos);
    }

    void send() {
      Frame frame = frame(rank, 100);
      until(() -> transport.offer(1 - rank, frame));
    }

    @Override
    public void close() {
      transport.close();
    }
  }

  private interface Body {
    void run(Rank rank, CyclicBarrier step) throws Exception;
  }

  /** Runs two ranks on two hosts; before the body begins, each knows the other's address. */
  private static void ranks(int heartbeatMillis, NetIo net, Body body) throws Exception {
    byte[][] endpoints = new byte[2][];
    CyclicBarrier step = new CyclicBarrier(2);
    try (TwoHosts hosts = new TwoHosts()) {
      List<Future<Void>> results = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int rank = i;
        results.add(
            hosts.on(
                rank,
                () -> {
                  try (Rank r = new Rank(rank, TwoHosts.address(rank), heartbeatMillis, net)) {
                    endpoints[rank] = r.transport.endpoint();
                    both(step);
                    r.transport.start(Endpoints.of(endpoints));
                    body.run(r, step);
                    both(step);
                  }
                  return null;
                }));
      }
      for (Future<Void> result : results) {
        result.get(100, TimeUnit.SECONDS);
      }
    }
  }

  private static void both(CyclicBarrier step) throws Exception {
    try {
      step.await(60, TimeUnit.SECONDS);
    } catch (BrokenBarrierException e) {
      throw new AssertionError("the other rank has failed", e);
    }
  }

  private static void connect(Rank rank, CyclicBarrier step) throws Exception {
    rank.send();
    rank.until(() -> rank.frames == 1);
    both(step);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void unacknowledgedBytesEndTheConnection() throws Exception {
    ranks(
        1000,
        NetIo.EPOLL,
        (rank, step) -> {
          connect(rank, step);
          TwoHosts.cut(rank.rank);
          both(step);
          rank.send(); // at once: no connection is ever idle here
          long begin = System.nanoTime();
          rank.until(() -> !rank.lost.isEmpty());
          assertThat(rank.lost).singleElement().asString().contains("no answer for");
          assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(30));
        });
  }

  @ParameterizedTest
  @EnumSource
  @Execution(ExecutionMode.CONCURRENT)
  void aWaitingRankDetectsACutToo(NetIo net) throws Exception {
    ranks(
        1000,
        net,
        (rank, step) -> {
          connect(rank, step);
          rank.until(TwoHosts::nothingInFlight);
          both(step);
          TwoHosts.cut(rank.rank);
          both(step);
          long begin = System.nanoTime();
          rank.until(() -> !rank.lost.isEmpty());
          assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(30));
        });
  }

  /** A cut in one direction suffices. */
  @ParameterizedTest
  @EnumSource
  @Execution(ExecutionMode.CONCURRENT)
  void aPeerCutOffIsLostAfterSomeAttempts(NetIo net) throws Exception {
    ranks(
        1000,
        net,
        (rank, step) -> {
          if (rank.rank == 1) {
            TwoHosts.cut(1);
          }
          both(step);
          if (rank.rank == 0) {
            Frame frame = frame(0, 100);
            rank.until(() -> !rank.transport.offer(1, frame) && !rank.lost.isEmpty());
            assertThat(rank.lost).containsExactly("no answer to 4 attempts to connect");
            assertThat(rank.transport.connections()).isZero();
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  @Execution(ExecutionMode.CONCURRENT)
  void anOutageShorterThanTheHeartbeatEndsNothing(NetIo net) throws Exception {
    int heartbeatMillis = 4000; // a busy machine takes a second to cut and to mend
    ranks(
        heartbeatMillis,
        net,
        (rank, step) -> {
          connect(rank, step);
          TwoHosts.cut(rank.rank);
          both(step);
          if (rank.rank == 0) {
            rank.send();
          }
          rank.until(TimeUnit.MILLISECONDS.toNanos(heartbeatMillis / 4));
          TwoHosts.mend(rank.rank);
          both(step);
          rank.until(TimeUnit.MILLISECONDS.toNanos(2L * heartbeatMillis));
          assertThat(rank.lost).isEmpty();
          assertThat(rank.frames).isEqualTo(1 + rank.rank);
        });
  }

  /** The peer computes: it has no room, but its system answers. */
  @ParameterizedTest
  @EnumSource
  @Execution(ExecutionMode.CONCURRENT)
  void aPeerThatReadsNothingForLongIsNotLost(NetIo net) throws Exception {
    try (Rank sender = new Rank(0, "127.0.0.1", 500, net);
        Rank computing = new Rank(1, "127.0.0.1", 500, net)) {
      byte[][] endpoints = {sender.transport.endpoint(), computing.transport.endpoint()};
      sender.transport.start(Endpoints.of(endpoints));
      computing.transport.start(Endpoints.of(endpoints));
      Frame frame = frame(0, TcpTransport.MAX_PAYLOAD);
      int[] sent = {0};
      while (computing.frames == 0) {
        sent[0] += sender.transport.offer(1, frame) ? 1 : 0;
        sender.transport.poll(sender);
        computing.transport.poll(computing);
      }
      long last = System.nanoTime();
      while (System.nanoTime() - last < TimeUnit.SECONDS.toNanos(5)) { // there was no room
        if (sender.transport.offer(1, frame)) {
          sent[0]++;
          last = System.nanoTime();
        }
        sender.until(TimeUnit.MILLISECONDS.toNanos(5));
      }
      assertThat(sender.lost).isEmpty();
      while (computing.frames < sent[0]) {
        sender.transport.poll(sender);
        computing.transport.poll(computing);
      }
      assertThat(computing.lost).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void probesAreSpreadOverTheHeartbeatsTimeout(NetIo net) {
    assertThat(NetIo.best()).isEqualTo(NetIo.EPOLL); // and its library is loaded
    Channel channel = net.socket();
    try {
      assertThat(new Answers(channel, 5000).missing(System.nanoTime())).isZero();
      assertThat(channel.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
      boolean epoll = net == NetIo.EPOLL;
      List<Integer> options =
          List.of(
              option(
                  channel,
                  epoll
                      ? EpollChannelOption.TCP_KEEPIDLE
                      : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE)),
              option(
                  channel,
                  epoll
                      ? EpollChannelOption.TCP_KEEPINTVL
                      : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL)),
              option(
                  channel,
                  epoll
                      ? EpollChannelOption.TCP_KEEPCNT
                      : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT)));
      assertThat(options).containsExactly(2, 2, 4);
    } finally {
      channel.unsafe().closeForcibly();
    }
  }

  private static int option(Channel channel, ChannelOption<Integer> option) {
    return channel.config().getOption(option);
  }
}
