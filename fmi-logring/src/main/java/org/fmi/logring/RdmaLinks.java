package org.fmi.logring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.fmi.spi.RankConfig;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;

/**
 * Links over RDMA: one reliable connection per neighbour, made by rdma_cm. The thread sleeps until
 * the device, the connection manager, the clock or another thread has work for it.
 *
 * <p>A link is over when the connection manager reports the end of the peer's process, when work
 * completes with an error, or when the peer is silent: an empty frame is a heartbeat. Its
 * connection is held, unused, until all links are closed and the device has released every buffer.
 */
final class RdmaLinks implements RingLinks {
  static final String NAME = "rdma";

  private static final byte[] BEAT = {};

  private static final String THREAD = "fmi-logring";

  /** The most events handled at a time: any process can send requests, and heartbeats wait. */
  static final int MOST_EVENTS = 256;

  /**
   * The time limit, at close, for sends to reach the peers' devices, and for other work to fail.
   */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Handler handler;
  private final Verbs verbs;
  private final LongSupplier clock;
  private final long timeoutNanos;
  private final long periodNanos;
  private final Arena arena = Arena.ofShared();
  private final Sleeper sleeper;
  private final Thread thread;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  // Used on the thread.
  private final RdmaLinkTable links;
  private final RdmaFrames frames;
  private final RdmaDialling dialling;
  private long nextBeat;
  private boolean closing;

  /**
   * @param neighbours the expected neighbours
   * @throws IOException if the device refuses, and the message says what would help; or if the
   *     system refuses the thread
   */
  RdmaLinks(RankConfig config, int epoch, Set<Integer> neighbours, Handler handler)
      throws IOException {
    this(
        config,
        epoch,
        neighbours,
        handler,
        VerbsProvider.chosen().open(InetAddress.getByName(config.host())),
        System::nanoTime,
        Thread.ofPlatform().daemon().name(THREAD).factory());
  }

  RdmaLinks(
      RankConfig config,
      int epoch,
      Set<Integer> neighbours,
      Handler handler,
      Verbs verbs,
      LongSupplier clock,
      ThreadFactory threads)
      throws IOException {
    this.handler = handler;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(config.job().heartbeatMillis());
    this.periodNanos = TimeUnit.MILLISECONDS.toNanos(config.job().detection().periodMillis());
    this.verbs = verbs;
    this.clock = clock;
    try {
      List<Integer> expected = List.copyOf(neighbours);
      int buffers = RdmaFrames.buffers(expected);
      // Each posted buffer and each sent frame completes once.
      verbs.open(new Verbs.Sizes(Window.FRAMES, 0, buffers, 2 * buffers, Window.FRAMES));
      sleeper =
          new Sleeper(
              verbs.completionDescriptor(), verbs.eventDescriptor(), verbs.failureDescriptor());
      try {
        links = new RdmaLinkTable(handler, verbs, sleeper, clock, timeoutNanos, periodNanos);
        frames = new RdmaFrames(verbs, arena, expected, links, handler);
      } catch (IOException e) {
        sleeper.close();
        throw e;
      }
      dialling =
          new RdmaDialling(
              config, epoch, expected, handler, verbs, clock, timeoutNanos, links, frames);
    } catch (IOException e) {
      verbs.close();
      arena.close();
      throw e;
    }
    nextBeat = clock.getAsLong() + pause();
    thread = threads.newThread(this::run);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      end();
      throw new IOException(THREAD + ": " + e.getMessage(), e);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte[] endpoint() {
    return dialling.endpoint();
  }

  @Override
  public void connect(int peer, byte[] theirEndpoint) {
    RdmaEndpoint to = RdmaEndpoint.of(theirEndpoint);
    execute(() -> dialling.dial(peer, to));
  }

  @Override
  public void send(int peer, byte[] frame) {
    execute(
        () -> {
          RdmaLink link = links.get(peer);
          if (link != null && link.state == RdmaLink.State.OPEN) {
            frames.send(link, frame);
          }
        });
  }

  @Override
  public void watchAnew(int peer) {
    execute(
        () -> {
          RdmaLink link = links.get(peer);
          if (link != null) {
            link.heartbeat.received(clock.getAsLong());
          }
        });
  }

  @Override
  public void execute(Runnable task) {
    if (Thread.currentThread().equals(thread)) {
      task.run();
    } else {
      tasks.add(task);
      sleeper.wakeup();
    }
  }

  @Override
  public void close() {
    execute(this::beginClosing);
    if (!Thread.currentThread().equals(thread)) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the thread ends by itself
      }
    }
  }

  private void beginClosing() {
    closing = true;
    dialling.refuseAll();
  }

  // ---- the thread

  private void run() {
    try {
      while (true) {
        take();
        beat();
        if (closing) {
          return;
        }
        sleeper.sleep(Math.max(0, nextBeat - clock.getAsLong()));
      }
    } catch (IOException e) {
      handler.onBroken(String.valueOf(e.getMessage()));
    } finally {
      end();
    }
  }

  /** Does the available work. Events left and later ones end a sleep. */
  private void take() throws IOException {
    verbs.takeNotifications();
    verbs.requestNotification();
    for (Runnable task; (task = tasks.poll()) != null; ) {
      task.run();
    }
    frames.takeCompletions();
    Verbs.Event event;
    for (int i = 0; i < MOST_EVENTS && (event = verbs.nextEvent()) != null; i++) {
      dialling.on(event);
    }
    links.broken();
  }

  private long pause() {
    return periodNanos;
  }

  private void beat() {
    long now = clock.getAsLong();
    if (now - nextBeat < 0) {
      return;
    }
    nextBeat = now + pause();
    for (RdmaLink link : links.current()) {
      switch (link.state) {
        case OPEN -> beat(link, now);
        case DIALLING -> dialling.waited(link, now);
        case ACCEPTED, LOST -> {}
      }
    }
  }

  private void beat(RdmaLink link, long now) {
    long silence = link.heartbeat.silence(now);
    if (silence > 0 && links.silent(link, now, silence)) {
      return;
    }
    if (!link.wrote && link.window.hasRoomForBeat()) {
      frames.send(link, BEAT);
    }
    link.wrote = false;
  }

  // ---- the end

  private void end() {
    try {
      beginClosing();
      try {
        drain(link -> link.state == RdmaLink.State.OPEN);
        for (RdmaLink link : links.connected()) {
          link.connection.disconnect();
        }
        drain(link -> true);
      } finally {
        verbs.close();
        arena.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot close the log-ring's links", e);
    } finally {
      sleeper.close();
    }
  }

  /**
   * Waits until these links have no outstanding work, so that the device has released its buffers.
   */
  private void drain(Predicate<RdmaLink> which) throws IOException {
    // Heartbeats to the daemon wait for it too.
    long deadline = System.nanoTime() + Math.min(DRAIN_NANOS, timeoutNanos / 4);
    while (true) {
      take();
      long rest = deadline - System.nanoTime();
      if (rest <= 0
          || links.connected().stream()
              .noneMatch(link -> which.test(link) && link.window.outstanding() > 0)) {
        return;
      }
      sleeper.sleep(rest);
    }
  }
}
