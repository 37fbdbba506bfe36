package org.fmi.core.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.fmi.control.JobLink;
import org.fmi.control.Pinned;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.PinnedImage;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;

/**
 * Chooses checkpoints that are to be written to files too, and keeps their images for the daemon.
 * Rank 0 chooses, when all agree that a checkpoint is committed: so all choose the same.
 */
final class FileOffer {
  /** The job's decision about one takes a while; what comes in quick succession is left out. */
  private static final long LEAST_NANOS = 250_000_000;

  private final RankConfig config;
  private final CheckpointStore store;
  private final RequestedCheckpoint requested;
  private final JobLink link;
  private final RankClock clock;

  // Where the last one was, for rank 0.
  private long loop = -1;
  private long iteration;
  private long offeredNanos;
  private boolean offered;

  FileOffer(
      RankConfig config,
      CheckpointStore store,
      RequestedCheckpoint requested,
      JobLink link,
      RankClock clock) {
    this.config = config;
    this.requested = requested;
    this.store = store;
    this.link = link;
    this.clock = clock;
  }

  /** Whether this rank wants a checkpoint to be written: 1 or 0, of which the greatest decides. */
  long wish(CheckpointId id) {
    long every = config.level2().every();
    if (every == 0 || config.rank() != 0) {
      return 0;
    }
    if (requested.isToFiles()) {
      return 1;
    }
    long begin = id.loop() == loop ? iteration : 0;
    boolean due = id.iteration() / every > begin / every;
    return due && (!offered || clock.nanoTime() - offeredNanos >= LEAST_NANOS) ? 1 : 0;
  }

  /**
   * A checkpoint is committed by all.
   *
   * @param chosen whether it is to be written
   */
  void committed(CheckpointId id, boolean chosen, int epoch) {
    if (!chosen) {
      return;
    }
    requested.toFiles(false);
    loop = id.loop();
    iteration = id.iteration();
    offeredNanos = clock.nanoTime();
    offered = true;
    List<PinnedImage> images = new ArrayList<>();
    try {
      for (CheckpointId each : store.held()) {
        if (each.equals(id) || (each.last() && each.version() < id.version())) {
          PinnedImage image =
              store.pin(
                  each, Pinned.prefix(config.rank()) + "e" + epoch + "-v" + id.version() + "-");
          if (image == null) {
            return;
          }
          images.add(image);
        }
      }
      link.offer(new Pinned(epoch, id.version(), images));
    } catch (IOException e) {
      System.err.println(
          "fmi: the checkpoint of iteration "
              + id.iteration()
              + " is not written to files: rank "
              + config.rank()
              + " cannot keep it: "
              + e);
    }
  }
}
