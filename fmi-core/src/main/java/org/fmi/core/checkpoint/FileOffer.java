package org.fmi.core.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.fmi.control.JobLink;
import org.fmi.control.Pinned;
import org.fmi.core.loop.Loop;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.CheckpointStore;
import org.fmi.spi.PinnedImage;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Selects checkpoints to be written to files too, and pins their images for the daemon. Rank 0
 * selects while all ranks agree on the commit, so all select the same.
 */
public final class FileOffer {
  /** Minimum time between two selections, as the job takes a while to decide on each. */
  private static final long MIN_NANOS = 250_000_000;

  /** Votes of the ranks; the largest wins. */
  private static final long NOT_WANTED = 0;

  private static final long WANTED = 1;
  private static final long IMPOSSIBLE = 2;

  private final RankConfig config;
  private final CheckpointStore store;
  private final RequestedCheckpoint requested;
  private final JobLink link;
  private final RankClock clock;

  // The last selected checkpoint, on rank 0.
  private long loop = -1;
  private long iteration;
  private long offeredNanos;
  private boolean offered;

  /** Whether rank 0 wants the current checkpoint in files. */
  private boolean wanted;

  public FileOffer(
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

  /** Checkpoints on request. */
  public RequestedCheckpoint requested() {
    return requested;
  }

  /**
   * Whether all ranks are to wait for a checkpoint before a loop's next iteration although
   * checkpoints are asynchronous: an image written to files must hold no messages that cross its
   * recovery line.
   *
   * @param committed the newest checkpoint
   */
  public boolean isDue(Loop of, @Nullable CheckpointId committed) {
    long every = config.level2().every();
    boolean taken =
        committed != null && committed.loop() == of.number && committed.iteration() == of.iteration;
    return config.job().policy().overlapped() && every > 0 && of.iteration % every == 0 && !taken;
  }

  /**
   * Vote of this rank on writing a checkpoint; the largest vote wins.
   *
   * @param leavesOut whether some of its messages will not be sent again, as they have been
   *     received
   */
  long vote(CheckpointId id, boolean leavesOut) {
    long every = config.level2().every();
    if (every == 0) {
      return NOT_WANTED;
    }
    wanted = config.rank() == 0 && (requested.isToFiles() || isWanted(id, every));
    return leavesOut ? IMPOSSIBLE : wanted ? WANTED : NOT_WANTED;
  }

  private boolean isWanted(CheckpointId id, long every) {
    long begin = id.loop() == loop ? iteration : 0;
    boolean due = id.iteration() / every > begin / every;
    return due && (!offered || clock.nanoTime() - offeredNanos >= MIN_NANOS);
  }

  /**
   * All ranks have committed a checkpoint.
   *
   * @param vote the largest vote of all ranks
   */
  void committed(CheckpointId id, long vote, int epoch) {
    if (vote == IMPOSSIBLE && wanted) {
      link.report(
          "the checkpoint of iteration "
              + id.iteration()
              + " is not written to files, because some of its messages will not be sent again;"
              + " the next checkpoint that all ranks wait for is");
      requested.toFiles(true);
    }
    if (vote != WANTED) {
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
      link.report(
          "the checkpoint of iteration "
              + id.iteration()
              + " is not written to files: rank "
              + config.rank()
              + " cannot pin its image: "
              + e);
    }
  }
}
