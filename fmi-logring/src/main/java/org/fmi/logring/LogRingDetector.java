package org.fmi.logring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import org.fmi.rules.LogRing;
import org.fmi.rules.LogRing.Notice;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/** Runs a {@link LogRing} on real links, for one epoch: each rank watches all its neighbours. */
public final class LogRingDetector extends RingDetector {
  /** Guarded by its own lock. */
  private final LogRing ring;

  LogRingDetector(RankConfig config, int epoch, Listener listener) {
    this(config, epoch, listener, new Turnstile());
  }

  /**
   * A detector without links.
   *
   * @param gate where the program's thread waits for the links
   */
  public LogRingDetector(RankConfig config, int epoch, Listener listener, Gate gate) {
    this(
        config,
        epoch,
        listener,
        gate,
        new LogRing(config.size(), config.rank(), config.job().logRingBase()));
  }

  private LogRingDetector(
      RankConfig config, int epoch, Listener listener, Gate gate, LogRing ring) {
    super(config, epoch, listener, gate, ring.neighbours(), ring.connectsTo());
    this.ring = ring;
  }

  /** Offers links of a kind, with lower preference than earlier offers. */
  public void offer(Opening<?> opening) throws IOException {
    RingLinks _ = add(opening);
  }

  @Override
  @Nullable Collection<Integer> learn(Notice notice, int from) {
    synchronized (ring) {
      if (ring.receive(notice) == null) {
        return null;
      }
    }
    Collection<Integer> to = new ArrayList<>(ring.neighbours());
    to.removeIf(peer -> peer == from || peer == notice.failed());
    return to;
  }
}
