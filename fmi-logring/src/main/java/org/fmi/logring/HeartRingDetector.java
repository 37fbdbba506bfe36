package org.fmi.logring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.fmi.rules.HeartRing;
import org.fmi.rules.HeartRing.Action;
import org.fmi.rules.LogRing;
import org.fmi.rules.LogRing.Notice;
import org.fmi.rules.RingOrder;
import org.fmi.rules.Spread;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link HeartRing} on real links, for one epoch: each rank sends heartbeats to one other.
 * Notices take the links of Chord, and are exchanged by ranks that begin to observe each other.
 *
 * <p>The links are those of a log-ring of base 2 over the positions of the ring. A rank that has to
 * observe one with which it has no link makes one.
 */
public final class HeartRingDetector extends RingDetector {
  private static final byte OBSERVE = 3;
  private static final byte BEAT = 4;
  private static final byte[] OBSERVE_FRAME = {OBSERVE};
  private static final byte[] BEAT_FRAME = {BEAT};

  private final RingOrder order;
  private final Set<Integer> all;
  private final long periodNanos;
  private final long timeoutNanos;

  /** The ranks to which a link is open; changed on the thread of the links. */
  private final Set<Integer> linked = ConcurrentHashMap.newKeySet();

  // Used on the thread of the links.
  private final Spread spread;
  private @Nullable HeartRing ring;
  private @Nullable HeartLinks links;

  /** The ranks to ask for beats once there is a link. */
  private final Set<Integer> toAsk = new HashSet<>();

  HeartRingDetector(RankConfig config, int epoch, Listener listener) {
    this(config, epoch, listener, new Turnstile());
  }

  /**
   * A detector without links.
   *
   * @param gate where the program's thread waits for the links
   */
  public HeartRingDetector(RankConfig config, int epoch, Listener listener, Gate gate) {
    this(config, epoch, listener, gate, order(config));
  }

  private HeartRingDetector(
      RankConfig config, int epoch, Listener listener, Gate gate, RingOrder order) {
    this(
        config,
        epoch,
        listener,
        gate,
        order,
        new LogRing(config.size(), order.position(config.rank()), 2));
  }

  private HeartRingDetector(
      RankConfig config,
      int epoch,
      Listener listener,
      Gate gate,
      RingOrder order,
      LogRing positions) {
    super(
        config,
        epoch,
        listener,
        gate,
        ranks(order, positions.neighbours()),
        ranks(order, positions.connectsTo()));
    this.order = order;
    this.all =
        IntStream.range(0, config.size())
            .filter(rank -> rank != config.rank())
            .boxed()
            .collect(Collectors.toUnmodifiableSet());
    this.periodNanos = TimeUnit.MILLISECONDS.toNanos(config.job().detection().periodMillis());
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(config.job().heartbeatMillis());
    this.spread = new Spread(Spread.Kind.CHORD, order, config.rank(), 2);
  }

  private static RingOrder order(RankConfig config) {
    return config.job().detection().shuffled()
        ? RingOrder.shuffled(config.size(), RingOrder.seed(config.jobId()))
        : RingOrder.ascending(config.size());
  }

  private static Set<Integer> ranks(RingOrder order, Set<Integer> positions) {
    Set<Integer> ranks = new LinkedHashSet<>();
    positions.forEach(position -> ranks.add(order.rank(position)));
    return ranks;
  }

  /** Opens the links, and starts the heartbeats. */
  public void open(Opening<? extends HeartLinks> opening) throws IOException {
    HeartLinks opened = add(opening);
    opened.execute(() -> start(opened));
  }

  private void start(HeartLinks opened) {
    links = opened;
    ring =
        new HeartRing(
            order,
            config.rank(),
            HeartRing.Form.ASKING,
            periodNanos,
            rank -> opened.patience(rank) * timeoutNanos,
            opened.nanoTime());
    opened.after(periodNanos, this::tick);
  }

  @Override
  Set<Integer> expected() {
    return all;
  }

  @Override
  Collection<Integer> goodbyes() {
    return linked;
  }

  // ---- on the thread of the links

  private void tick() {
    HeartRing running = ring;
    HeartLinks open = links;
    if (running == null || open == null || isClosed()) {
      return;
    }
    open.after(periodNanos, this::tick);
    long now = open.nanoTime();
    int observed = running.observed();
    if (observed != HeartRing.NOBODY && isAwaited(observed)) {
      // The attempt to connect decides.
      act(running.beat(observed, now));
    }
    act(running.tick(now));
  }

  private void act(List<Action> actions) {
    for (Action action : actions) {
      int rank = action.rank();
      switch (action.kind()) {
        case BEAT -> send(rank, BEAT_FRAME);
        case OBSERVE -> {
          if (linked.contains(rank)) {
            observe(rank);
          } else {
            toAsk.add(rank);
            link(rank);
          }
        }
        case SUSPECT -> silent(rank, "no heartbeat for " + config.job().heartbeatMillis() + " ms");
        case HEARD -> heard(rank);
      }
    }
  }

  private void send(int peer, byte[] frame) {
    HeartLinks open = links;
    if (open != null) {
      open.send(peer, frame);
    }
  }

  private void observe(int rank) {
    tellAll(rank);
    send(rank, OBSERVE_FRAME);
  }

  /** Sends all notices to a rank that begins to observe this one, or the other way round. */
  private void tellAll(int rank) {
    spread.known().stream()
        .filter(failed -> failed != rank)
        .forEach(failed -> send(rank, frame(new Notice(failed, 1))));
  }

  private long now() {
    HeartLinks open = links;
    return open == null ? 0 : open.nanoTime();
  }

  @Override
  @Nullable Collection<Integer> learn(Notice notice, int from) {
    List<Integer> targets = spread.learn(notice.failed(), from);
    if (targets == null) {
      return null;
    }
    Set<Integer> to = new LinkedHashSet<>(targets);
    HeartRing running = ring;
    if (running != null) {
      to.add(running.observer());
      to.add(running.observed());
      to.remove(HeartRing.NOBODY);
      to.remove(notice.failed());
    }
    return to;
  }

  @Override
  void learned(int failed) {
    HeartRing running = ring;
    if (running != null) {
      act(running.dead(failed, now()));
    }
  }

  @Override
  void found(int rank) {
    HeartRing running = ring;
    if (running != null) {
      act(running.alive(rank, now()));
    }
  }

  @Override
  void leaves(int peer) {
    HeartRing running = ring;
    if (running != null) {
      running.left(peer);
    }
  }

  @Override
  void connecting() {
    toAsk.forEach(this::link);
  }

  @Override
  boolean received(byte kind, int peer, ByteBuffer frame) {
    HeartRing running = ring;
    if (frame.hasRemaining() || running == null) {
      return false;
    }
    switch (kind) {
      case BEAT -> act(running.beat(peer, now()));
      case OBSERVE -> {
        tellAll(peer);
        act(running.asked(peer, now()));
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public void onOpen(int peer) {
    linked.add(peer);
    if (toAsk.remove(peer)) {
      observe(peer);
    }
    super.onOpen(peer);
  }

  @Override
  public void onClosed(int peer, String reason) {
    gone(peer);
    super.onClosed(peer, reason);
  }

  @Override
  public void onUnreachable(int peer, String reason) {
    gone(peer);
    super.onUnreachable(peer, reason);
  }

  private void gone(int peer) {
    linked.remove(peer);
    toAsk.remove(peer);
  }
}
