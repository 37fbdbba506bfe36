package org.fmi.run.timeline;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Notice;
import org.fmi.run.report.EventLog;

/** Writes the events of a job of many ranks that loses one of them again and again. */
final class GeneratedJob {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long BEGUN_MILLIS = 1_790_000_000_000L;
  private static final long BEGUN_NANOS = 123 * MILLI;
  private static final long ITERATION = 5 * MILLI;
  private static final long CHECKPOINT = 40 * MILLI;

  private final Random random = new Random(1);
  private final EventLog log;
  private final int ranks;
  private final int ranksPerNode;
  private final int[] incarnations;
  private long now;
  private int epoch;
  private long version;
  private long computed;
  private long line;

  private GeneratedJob(EventLog log, int ranks, int ranksPerNode) {
    this.log = log;
    this.ranks = ranks;
    this.ranksPerNode = ranksPerNode;
    this.incarnations = new int[ranks];
  }

  /**
   * Writes them.
   *
   * @param seconds how long the job takes
   * @param checkpointSeconds between two checkpoints
   * @param failureSeconds between two failures
   */
  static void write(
      Path file,
      int ranks,
      int ranksPerNode,
      long seconds,
      long checkpointSeconds,
      long failureSeconds)
      throws IOException {
    try (EventLog log = new EventLog(file)) {
      new GeneratedJob(log, ranks, ranksPerNode)
          .run(
              TimeUnit.SECONDS.toNanos(seconds),
              TimeUnit.SECONDS.toNanos(checkpointSeconds),
              TimeUnit.SECONDS.toNanos(failureSeconds));
    }
  }

  private void tell(Notice notice) throws IOException {
    log.write(EventLog.line(notice, BEGUN_MILLIS + now / MILLI, BEGUN_NANOS + now));
  }

  private void pass(double millis) {
    now += (long) (millis * MILLI * (0.8 + 0.4 * random.nextDouble()));
  }

  private void run(long length, long checkpointEvery, long failureEvery) throws IOException {
    tell(new Notice.Submitted("generated", "heat2d.jar --rows 4096"));
    int nodes = (ranks + ranksPerNode - 1) / ranksPerNode;
    for (int node = 0; node < nodes; node++) {
      pass(2);
      tell(new Notice.NodeReady(node, "node" + node));
    }
    tell(new Notice.Started(ranks, nodes, 0, 1));
    for (int rank = 0; rank < ranks; rank++) {
      tell(new Notice.Spawned(rank, rank / ranksPerNode, "node" + rank / ranksPerNode));
    }
    pass(400);
    allJoinAndRun(-1, 0);
    checkpoint();
    long nextCheckpoint = now + checkpointEvery;
    long nextFailure = now + failureEvery;
    while (now < length) {
      long until = Math.min(nextCheckpoint, nextFailure);
      computed += (until - now) / ITERATION;
      now = until;
      if (until == nextFailure) {
        fail(random.nextInt(ranks));
        nextFailure = now + failureEvery / 2 + (long) (failureEvery * random.nextDouble());
        nextCheckpoint = now + checkpointEvery;
      } else {
        checkpoint();
        nextCheckpoint = now + checkpointEvery;
      }
    }
    tell(new Notice.Finished(0, epoch, ""));
  }

  private void checkpoint() throws IOException {
    now += CHECKPOINT;
    line = computed;
    tell(
        new Notice.CheckpointCommitted(
            epoch,
            version++,
            0,
            line,
            32 << 20,
            8 << 20,
            CHECKPOINT / 4,
            CHECKPOINT / 2,
            CHECKPOINT / 4 - MILLI));
  }

  private void fail(int rank) throws IOException {
    int by = (rank + 1) % ranks;
    tell(new Notice.Notified(epoch, by, rank, 0, BEGUN_NANOS + now));
    tell(new Notice.RankFailed(epoch, rank, "rank " + by + " over the overlay", "closed"));
    tell(new Notice.RecoveryBegun(epoch + 1, false, "rank " + rank + ": closed"));
    for (int r = 0; r < ranks; r++) {
      if (r != rank) {
        pass(0.1);
        if (r != by) {
          tell(new Notice.Notified(epoch, r, rank, 1 + r % 3, BEGUN_NANOS + now));
        }
        tell(new Notice.Left(epoch, r, 0, computed + r % 2));
      }
    }
    pass(8);
    tell(new Notice.CauseKnown(epoch, rank, "was killed by signal 9"));
    epoch++;
    int node = rank / ranksPerNode;
    tell(new Notice.Respawned(epoch, rank, node, "node" + node, ++incarnations[rank]));
    pass(10);
    allJoinAndRun(line, 1);
    computed = line;
  }

  private void allJoinAndRun(long iteration, int rebuilt) throws IOException {
    for (int rank = 0; rank < ranks; rank++) {
      pass(0.6);
      tell(new Notice.Joined(epoch, rank));
    }
    tell(new Notice.AllJoined(epoch));
    pass(25);
    tell(new Notice.AllConnected(epoch, "tcp"));
    pass(60);
    tell(new Notice.AllRunning(epoch, 0, iteration, rebuilt));
  }
}
