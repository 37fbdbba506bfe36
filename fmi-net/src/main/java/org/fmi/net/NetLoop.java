package org.fmi.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Owns one daemon thread that carries {@link Connection}s: authenticated ones over TCP, and plain
 * ones over local sockets, which file modes protect. All handlers and tasks run on that thread and
 * must not block. Any thread may call its methods.
 *
 * <pre>
 *   NetLoop loop = NetLoop.open("fmi-control", secret, NetLoop.MAX_FRAME, System.err::println);
 *   Server server = loop.listen(new InetSocketAddress(0), 5000, (identity, remote) -> new MyHandler());
 *   loop.connect(new InetSocketAddress(host, server.port()), identity, 5000, 5000, new MyHandler());
 * </pre>
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
public final class NetLoop implements AutoCloseable {
  /** A frame limit, 16 MiB, that suits the control plane. */
  public static final int MAX_FRAME = 16 << 20;

  private static final int LONGEST_LOCAL_PATH = 107;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private final NetIo net;
  private final byte[] secret;
  private final int maxFrame;
  private final Consumer<String> warning;
  private final SecureRandom random = new SecureRandom();
  private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final Thread thread;
  private final ManualIoEventLoop io;

  /** Used on the loop's thread. */
  private final Set<Connection> connections = new LinkedHashSet<>();

  private NetLoop(
      String threadName, byte[] secret, int maxFrame, Consumer<String> warning, NetIo net) {
    this.net = net;
    this.secret = secret.clone();
    this.maxFrame = maxFrame;
    this.warning = warning;
    this.thread = new Thread(this::drive, threadName);
    this.thread.setDaemon(true);
    this.io = new ManualIoEventLoop(thread, net.handlers());
  }

  /**
   * Starts a loop.
   *
   * @param secret the job's secret, 32 bytes
   * @param maxFrame the most bytes in a frame, sent or received
   * @param warning receives messages for the user
   */
  public static NetLoop open(
      String threadName, byte[] secret, int maxFrame, Consumer<String> warning) {
    return open(threadName, secret, maxFrame, warning, NetIo.best());
  }

  /**
   * Starts a loop where the program can do something about a system that refuses it.
   *
   * @throws IOException if the system refuses the loop its thread or a file descriptor
   */
  public static NetLoop openIfPermitted(
      String threadName, byte[] secret, int maxFrame, Consumer<String> warning) throws IOException {
    try {
      return NetIo.open(() -> open(threadName, secret, maxFrame, warning));
    } catch (OutOfMemoryError e) {
      throw new IOException(threadName + ": " + e.getMessage(), e);
    }
  }

  static NetLoop open(
      String threadName, byte[] secret, int maxFrame, Consumer<String> warning, NetIo net) {
    NetLoop loop = new NetLoop(threadName, secret, maxFrame, warning, net);
    loop.thread.start();
    return loop;
  }

  private void drive() {
    while (!io.isTerminated()) {
      io.run(0);
    }
  }

  /**
   * Listens for TCP connections; port 0 selects a free port.
   *
   * @param proofMillis the time limit for a peer's authentication, at least 5 s
   * @throws IOException if the address is not available
   */
  public Server listen(InetSocketAddress address, int proofMillis, Acceptor acceptor)
      throws IOException {
    int millis = Math.max(Server.PROOF_MILLIS, proofMillis);
    return listen(NetIo.open(net::server), address, acceptor, millis);
  }

  /**
   * Listens at a local socket of mode 0600, in a directory that only its owner may enter. Peers are
   * not authenticated.
   *
   * @throws IOException if the socket cannot be created, its path is too long, or the directory is
   *     open to other users
   */
  public Server listenLocal(Path path, Acceptor acceptor) throws IOException {
    Path directory = path.toAbsolutePath().getParent();
    if (directory == null || !OWNER_ONLY.containsAll(Files.getPosixFilePermissions(directory))) {
      throw new IOException(directory + " must be open to its owner only (mode 0700)");
    }
    if (path.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_LOCAL_PATH) {
      throw new IOException(path + " is longer than " + LONGEST_LOCAL_PATH + " bytes");
    }
    Server server =
        listen(NetIo.open(net::localServer), net.localAddress(path), acceptor, Server.NO_PROOF);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    return server;
  }

  private Server listen(
      ServerChannel channel, SocketAddress address, Acceptor acceptor, int proofMillis)
      throws IOException {
    Server server = new Server(this, channel, acceptor, proofMillis, warning);
    register(channel).syncUninterruptibly();
    ChannelFuture bound = channel.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      channel.close();
      BindException failure = new BindException("cannot listen at " + address);
      failure.initCause(bound.cause());
      throw failure;
    }
    return server;
  }

  /**
   * Connects over TCP; the handler learns the outcome.
   *
   * @param identity the identity and purpose of this side, at most {@link Handshake#MAX_IDENTITY}
   *     bytes
   * @param timeoutMillis the time limit for the connection, which the peer's system makes
   * @param proofMillis the time limit for the handshake, for which the peer itself needs a core
   * @throws RejectedExecutionException if the loop is closed
   */
  public Connection connect(
      InetSocketAddress address,
      byte[] identity,
      int timeoutMillis,
      int proofMillis,
      ConnectionHandler handler) {
    Handshake handshake = Handshake.connecting(secret, random, identity);
    Channel channel = net.socket();
    Connection connection = Connection.connecting(this, channel, handshake, handler);
    begin(channel, () -> connection.begin(address, timeoutMillis, proofMillis));
    return connection;
  }

  /**
   * Connects to a local socket; the handler learns the outcome.
   *
   * @throws RejectedExecutionException if the loop is closed
   */
  public Connection connectLocal(Path path, int timeoutMillis, ConnectionHandler handler) {
    Channel channel = net.localSocket();
    Connection connection = Connection.connecting(this, channel, null, handler);
    begin(channel, () -> connection.begin(net.localAddress(path), timeoutMillis, timeoutMillis));
    return connection;
  }

  private void begin(Channel channel, Runnable begin) {
    try {
      execute(begin);
    } catch (RejectedExecutionException e) {
      channel.unsafe().closeForcibly(); // no loop will close it
      throw e;
    }
  }

  /**
   * Sends one frame over several connections of this loop, from one copy. Connections that are not
   * open drop it.
   *
   * @throws IllegalArgumentException if it is empty or exceeds the loop's limit
   */
  public void send(Collection<Connection> to, byte[] frame) {
    Connection.sendAll(this, to, ByteBuffer.wrap(frame));
  }

  /**
   * Runs a task on the loop's thread, after earlier tasks. An exception goes to the thread's
   * uncaught exception handler.
   *
   * @throws RejectedExecutionException if the loop is closed
   */
  public void execute(Runnable task) {
    io.execute(() -> guard(task));
  }

  /** Runs a task on the loop's thread after a delay. */
  public ScheduledFuture<?> schedule(long delay, TimeUnit unit, Runnable task) {
    return io.schedule(() -> guard(task), delay, unit);
  }

  /** Whether this is the loop's thread. */
  public boolean inLoop() {
    return io.inEventLoop();
  }

  /**
   * Closes all connections, after everything sent so far was given to the system, and ends the
   * thread. Waits for its end unless called on the loop's thread.
   */
  @Override
  public void close() {
    if (!io.isShuttingDown()) {
      io.execute(this::shutDown);
    }
    if (!inLoop()) {
      io.terminationFuture().awaitUninterruptibly();
    }
  }

  private void shutDown() {
    for (Connection connection : connections.toArray(Connection[]::new)) {
      connection.end(Closed.Why.HERE, "loop closed");
    }
    // After the notifications of the closed connections.
    io.execute(() -> io.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS));
  }

  // For connections.

  Handshake acceptingHandshake() {
    return Handshake.accepting(secret, random);
  }

  int maxFrame() {
    return maxFrame;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  ChannelFuture register(Channel channel) {
    DefaultChannelPromise promise = new DefaultChannelPromise(channel, io);
    if (inLoop()) {
      channel.unsafe().register(io, promise);
    } else {
      io.execute(() -> channel.unsafe().register(io, promise));
    }
    return promise;
  }

  void add(Connection connection) {
    connections.add(connection);
  }

  void remove(Connection connection) {
    connections.remove(connection);
  }

  /** Runs a task; returns false if it threw, which was reported. */
  boolean guard(Runnable task) {
    try {
      task.run();
      return true;
    } catch (Throwable e) {
      // Errors too: without memory for one frame, the other connections must still be served.
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      return false;
    }
  }
}
