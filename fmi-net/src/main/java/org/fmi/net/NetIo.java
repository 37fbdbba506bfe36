package org.fmi.net;

import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Creates the two kinds of sockets that Netty offers here: native epoll, and Java's own. */
public enum NetIo {
  EPOLL,
  NIO;

  /** Epoll where it works, else NIO. */
  public static NetIo best() {
    NettyLog.install();
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /**
   * Opens something of these; turns Netty's exception into one that callers expect.
   *
   * @throws IOException if the system refuses it, mostly for lack of file descriptors
   */
  public static <T> T open(Supplier<T> opener) throws IOException {
    try {
      return opener.get();
    } catch (ChannelException e) {
      throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
    }
  }

  public IoHandlerFactory handlers() {
    return switch (this) {
      case EPOLL -> EpollIoHandler.newFactory();
      case NIO -> NioIoHandler.newFactory();
    };
  }

  public DuplexChannel socket() {
    return switch (this) {
      case EPOLL -> new EpollSocketChannel();
      case NIO -> new NioSocketChannel();
    };
  }

  public ServerChannel server() {
    return switch (this) {
      case EPOLL -> new EpollServerSocketChannel();
      case NIO -> new NioServerSocketChannel();
    };
  }

  public DatagramChannel datagram() {
    return switch (this) {
      case EPOLL -> new EpollDatagramChannel();
      case NIO -> new NioDatagramChannel();
    };
  }

  DuplexChannel localSocket() {
    return switch (this) {
      case EPOLL -> new EpollDomainSocketChannel();
      case NIO -> new NioDomainSocketChannel();
    };
  }

  ServerChannel localServer() {
    return switch (this) {
      case EPOLL -> new EpollServerDomainSocketChannel();
      case NIO -> new NioServerDomainSocketChannel();
    };
  }

  SocketAddress localAddress(Path path) {
    return switch (this) {
      case EPOLL -> new DomainSocketAddress(path.toFile());
      case NIO -> UnixDomainSocketAddress.of(path);
    };
  }
}
