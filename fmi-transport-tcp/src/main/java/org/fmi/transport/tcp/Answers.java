package org.fmi.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.socket.nio.NioChannelOption;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.fmi.net.Heartbeat;

/**
 * Detects that the system at the other end of a connection no longer answers: the network was cut
 * silently, or the machine has lost power. A peer whose program computes, or is stopped, is
 * unaffected, as its system answers.
 *
 * <pre>
 *   nothing in flight   TCP's keep-alive probes     the system ends the connection
 *   bytes in flight     sent again, or the peer's   {@link #missing} detects it on epoll;
 *                       full window is probed       on NIO the system does, after about 15 minutes
 * </pre>
 *
 * An outage shorter than the heartbeat's timeout ends no connection: at least one probe comes after
 * it, and bytes in flight get twice the timeout, as the system doubles the time between its
 * attempts.
 *
 * <p>TCP_USER_TIMEOUT is not used. Since Linux 5.11 it also ends a connection whose peer answers
 * each probe but has had no room for the same time, such as a rank that computes.
 */
final class Answers {
  /** The least number of probes of which one comes after an outage as long as the timeout. */
  private static final int PROBES = 4;

  /**
   * Calls of {@link #missing} per timeout. The time counts from the second call that finds bytes
   * sent again, so that few calls would notice a cut late.
   */
  private static final int LOOKS = 8;

  private static final int MOST_SECONDS = 32_767; // tcp(7)

  private final Channel channel;
  private final Heartbeat heartbeat;
  private boolean waiting;
  private long askedAt;

  /** Enables keep-alive. */
  Answers(Channel channel, int heartbeatTimeoutMillis) {
    this.channel = channel;
    long now = System.nanoTime();
    this.heartbeat = new Heartbeat(TimeUnit.MILLISECONDS.toNanos(2L * heartbeatTimeoutMillis), now);
    this.askedAt = now;
    int seconds = Math.ceilDiv(heartbeatTimeoutMillis, (PROBES - 1) * 1000);
    keepAlive(channel, Math.clamp(seconds, 1, MOST_SECONDS));
  }

  private static void keepAlive(Channel channel, int seconds) {
    ChannelConfig options = channel.config();
    options.setOption(ChannelOption.SO_KEEPALIVE, true);
    if (channel instanceof EpollSocketChannel) {
      options.setOption(EpollChannelOption.TCP_KEEPIDLE, seconds);
      options.setOption(EpollChannelOption.TCP_KEEPINTVL, seconds);
      options.setOption(EpollChannelOption.TCP_KEEPCNT, PROBES);
    } else {
      options.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), seconds);
      options.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), seconds);
      options.setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), PROBES);
    }
  }

  /** The interval between calls of {@link #missing}, in nanoseconds. */
  static long pause(int heartbeatTimeoutMillis) {
    return TimeUnit.MILLISECONDS.toNanos(heartbeatTimeoutMillis) / LOOKS;
  }

  /**
   * The time for which bytes in flight have had no answer, if it is too long.
   *
   * @return nanoseconds; 0 if it is not too long, or unknown
   */
  long missing(long now) {
    if (!(channel instanceof EpollSocketChannel epoll) || !epoll.isActive()) {
      return 0;
    }
    EpollTcpInfo info = epoll.tcpInfo();
    boolean waited = waiting;
    waiting = info.retransmits() > 0 || info.probes() > 0; // both restart with each answer
    boolean answered = TimeUnit.MILLISECONDS.toNanos(info.lastAckRecv()) < now - askedAt;
    askedAt = now;
    if (!waiting || !waited || answered) {
      heartbeat.received(now);
    }
    return heartbeat.silence(now);
  }
}
