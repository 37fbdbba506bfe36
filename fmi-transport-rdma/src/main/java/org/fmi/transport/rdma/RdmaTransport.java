package org.fmi.transport.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Medium;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames over RDMA: one reliable connection per pair of ranks, made on first use.
 *
 * <p>{@link LinkSetup} makes the connections, {@link Completions} handles the device's completions,
 * {@link Shutdown} ends everything; {@link Links} holds the connections.
 */
final class RdmaTransport implements Transport {
  static final String NAME = "rdma";
  static final int MAX_PAYLOAD = 16 << 10;

  /** The outstanding work per connection, if the device's completion queue has room for it. */
  static final int DEPTH = 64;

  /** A header and 144 bytes. */
  private static final int INLINE_BYTES = FrameLayout.HEADER_BYTES + 144;

  /** Polls per look for connection events, which is a system call. */
  private static final int POLLS_PER_LOOK = 64;

  /** Polls per look while connections are being made. */
  private static final int POLLS_PER_LOOK_DIALLING = 4;

  /** The most batches of completions per poll. */
  private static final int MAX_BATCHES = 4;

  private final RankConfig config;
  private final Verbs verbs;
  private final byte[] published;
  private final Arena arena = Arena.ofShared();

  /** Memory for assembling small frames. */
  private final MemorySegment scratch;

  private final SendPool sends;
  private final Reads reads;
  private final Links links;
  private final LinkSetup setup;
  private final Completions completions;
  private final Shutdown shutdown;
  private final int inline;
  private final Sleeper sleeper;
  private @Nullable Ringer ringer;

  private int pollsSinceLook;

  /** Whether a requested notification has not arrived. */
  private boolean notifying;

  private volatile boolean woken;

  /** The reason why nothing can be sent or received any more. */
  private @Nullable UncheckedIOException broken;

  private boolean closed;

  @SuppressWarnings("restricted") // only such a segment avoids the scope check
  RdmaTransport(
      RankConfig config,
      int epoch,
      Verbs verbs,
      RegistrationCache.Room room,
      Consumer<String> warning,
      Diagnostics diagnostics)
      throws IOException {
    this.config = config;
    this.verbs = verbs;
    RegistrationCache cache = new RegistrationCache(verbs::register, room, warning);
    this.reads = new Reads(this, cache);
    try {
      Capacity capacity = capacity(config, verbs.limits());
      verbs.open(capacity.sizes(INLINE_BYTES));
      inline = verbs.inline();
      scratch =
          MemorySegment.ofAddress(arena.allocate(INLINE_BYTES, Long.BYTES).address())
              .reinterpret(INLINE_BYTES);
      sends = new SendPool(verbs, arena);
      ReceivePool receives = new ReceivePool(verbs, arena);
      receives.prepare();
      byte[] nonce = new byte[RdmaEndpoint.NONCE_BYTES];
      new SecureRandom().nextBytes(nonce);
      RdmaEndpoint endpoint = new RdmaEndpoint(nonce, verbs.address());
      published = Reach.publish(endpoint, capacity.connections(), config.size());
      Greeting greeting = new Greeting(config.secret(), config.jobId(), epoch);
      links = new Links(config.size(), verbs, sends, receives, capacity.depth());
      setup =
          new LinkSetup(
              this,
              config,
              verbs,
              greeting,
              endpoint,
              capacity.connections(),
              receives,
              cache,
              links,
              diagnostics);
      completions = new Completions(verbs, links, receives, reads);
      shutdown = new Shutdown(links, completions, cache);
      sleeper =
          new Sleeper(
              verbs.completionDescriptor(), verbs.eventDescriptor(), verbs.failureDescriptor());
    } catch (IOException | RuntimeException | Error e) {
      try {
        free();
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /**
   * The capacity that a rank of this job uses of a device.
   *
   * @throws IOException if the device is too small
   */
  static Capacity capacity(RankConfig config, Verbs.Limits limits) throws IOException {
    boolean isAlone =
        !config.job().transports().isEmpty() && !config.job().transports().contains("tcp");
    return Capacity.of(limits, Math.max(1, config.size() - 1), isAlone);
  }

  /** Closes the device, and then frees the buffers. */
  private void free() throws IOException {
    verbs.close();
    arena.close();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Medium medium() {
    return Medium.RDMA;
  }

  @Override
  public byte[] endpoint() {
    return published.clone();
  }

  @Override
  public void start(Endpoints addresses) {
    setup.start(addresses);
  }

  @Override
  public boolean reaches(int peer) {
    return setup.reaches(peer);
  }

  @Override
  public int maxPayload() {
    return MAX_PAYLOAD;
  }

  @Override
  public int eagerLimit() {
    return MAX_PAYLOAD;
  }

  // ---- sending

  @Override
  public boolean offer(int peer, Frame frame) {
    if (broken != null) {
      throw broken;
    }
    Link link = links.get(peer);
    if (link == null || link.state != Link.State.OPEN) {
      if (link == null) {
        setup.want(peer);
      }
      return false;
    }
    if (!link.ready()) {
      return false;
    }
    try {
      if (frame.bytes() <= inline) {
        link.sendInline(frame, scratch);
        return true;
      }
      int buffer = sends.take();
      if (buffer == SendPool.NONE) {
        return false;
      }
      link.send(frame, buffer);
      return true;
    } catch (IOException e) {
      links.lose(link, String.valueOf(e.getMessage()));
      return false;
    }
  }

  // ---- receiving

  @Override
  public int poll(FrameHandler handler) {
    if (broken != null) {
      throw broken;
    }
    int work = 0;
    try {
      work += completions.takeAll(handler, MAX_BATCHES);
      completions.sendUnsentGrants();
      int every = links.anyBeingMade() ? POLLS_PER_LOOK_DIALLING : POLLS_PER_LOOK;
      if (++pollsSinceLook >= every) {
        pollsSinceLook = 0;
        work += setup.look();
      }
      if (links.anyLoss()) {
        // Their earlier frames come first.
        work += completions.takeAll(handler, Integer.MAX_VALUE);
        work += links.report(handler);
      }
    } catch (IOException e) {
      refused(e);
    }
    return work;
  }

  /**
   * Handles a refusal. If the device has failed, it loses the peers; any other refusal ends this
   * rank.
   *
   * @return the device's failure
   */
  String refused(IOException e) {
    try {
      String failure = links.loseAll();
      if (failure != null) {
        return failure;
      }
    } catch (IOException again) {
      e.addSuppressed(again);
    }
    throw failed(e);
  }

  /**
   * Ends this rank's use of the transport: from now on the device does not access the program's
   * memory.
   */
  private UncheckedIOException failed(IOException e) {
    UncheckedIOException failure = new UncheckedIOException("rdma", e);
    broken = failure;
    try {
      stop();
    } catch (UncheckedIOException again) {
      failure.addSuppressed(again);
    }
    return failure;
  }

  // ---- reads of peers' memory

  @Override
  public RemoteMemory remoteMemory() {
    return reads;
  }

  /** Begins to read a message. Has no effect if the peer is lost. */
  void read(int peer, Read message) {
    Link link = links.get(peer);
    if (link == null || link.state != Link.State.OPEN) {
      return;
    }
    try {
      link.read(message);
    } catch (IOException e) {
      links.lose(link, String.valueOf(e.getMessage()));
    }
  }

  /** See {@link RemoteMemory#stop}. */
  void stop() {
    if (closed) {
      return;
    }
    try {
      shutdown.stop();
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot stop", e);
    }
  }

  // ---- waiting

  @Override
  public void await(long maxNanos) {
    try {
      if (maxNanos > 0 && !woken && !mayHaveWork()) {
        sleeper.sleep(setup.sleep(maxNanos));
        lookNext();
      }
    } catch (IOException e) {
      refused(e);
    }
    woken = false;
  }

  /** Requests a notification, and checks whether something has arrived before it. */
  private boolean mayHaveWork() throws IOException {
    if (completions.any() || links.anyLoss()) {
      return true;
    }
    if (!notifying) {
      notifying = true;
      verbs.requestNotification();
    }
    return completions.fetch();
  }

  /** Makes the next poll look at everything, after a sleep. */
  private void lookNext() throws IOException {
    verbs.takeNotifications();
    notifying = false;
    pollsSinceLook = POLLS_PER_LOOK;
  }

  @Override
  public boolean needsYields() {
    return true;
  }

  @Override
  public int bell() {
    try {
      return sleeper.bell();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean arm(int bell) {
    try {
      Ringer r = ringer;
      if (r == null) {
        r =
            new Ringer(
                "fmi-rdma-ringer-" + config.rank(),
                verbs.completionDescriptor(),
                verbs.eventDescriptor(),
                verbs.failureDescriptor());
        ringer = r;
      }
      if (r.armed(bell)) {
        return true;
      }
      lookNext();
      notifying = true;
      verbs.requestNotification();
      r.arm(bell);
    } catch (IOException e) {
      refused(e);
    }
    return false;
  }

  @Override
  public void wakeup() {
    woken = true;
    sleeper.wakeup();
  }

  // ---- the end

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (ringer != null) {
        ringer.close();
      }
      setup.close();
      shutdown.close();
      free();
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot close", e);
    } finally {
      sleeper.close();
      links.forget();
    }
  }

  // For tests.

  void useClock(LongSupplier nanos) {
    setup.useClock(nanos);
  }

  boolean isConnected(int peer) {
    Link link = links.get(peer);
    return link != null && link.state == Link.State.OPEN;
  }

  /** Whether it has dialled or accepted, and does not know yet whether the connection is open. */
  boolean isConnecting(int peer) {
    Link link = links.get(peer);
    return link != null && (link.state == Link.State.DIALLING || link.state == Link.State.ACCEPTED);
  }

  /** The number of connections that are open, being made, or lost. */
  int connections() {
    return links.all().size();
  }
}
