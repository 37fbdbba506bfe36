package org.fmi.runtime;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.fmi.Fmi;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.progress.ParkingClock;
import org.fmi.core.rank.RankRuntime;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.JobSettings;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;

/**
 * A job of this process alone, as MPI's singleton (MPI 4 §11.8.2). Its rank can fail only together
 * with the job, so nothing is ever rolled back.
 */
final class JobOfOne {
  /** The default under fmirun. */
  private static final CheckpointInterval INTERVAL = new CheckpointInterval.Mtbf(3600);

  private static final long RECORD_LIMIT = 64 << 20;

  private JobOfOne() {}

  /** Starts it. */
  static Fmi join() throws IOException {
    return new RankRuntime(
        config(),
        new MiniJob(1, System::exit, line -> System.err.println("fmi: " + line)).link(0),
        List.of(),
        (config, epoch, listener, diagnostics) -> FailureDetector.NONE, // there is no other rank
        (config, system, memory) -> new HeapStore(),
        new NoNodeMemory(),
        new ParkingClock(),
        OwnCore.NONE,
        () -> false);
  }

  private static RankConfig config() {
    JobSettings job =
        JobSettings.builder()
            .size(1)
            .interval(INTERVAL)
            .heartbeatMillis(1000)
            .recordLimitBytes(RECORD_LIMIT)
            .build();
    return MiniJob.config("job-of-one", new byte[32], 0, job)
        .nodeDirectory("")
        .cores(Runtime.getRuntime().availableProcessors())
        .build();
  }

  /** Node memory without use, as no other process will look for this one's pieces. */
  private static final class NoNodeMemory implements NodeMemory {
    @Override
    public List<String> list(String prefix) {
      return List.of();
    }

    @Override
    public MemorySegment create(String name, long bytes, Arena arena) {
      throw new UnsupportedOperationException(name);
    }

    @Override
    public MemorySegment open(String name, Arena arena) {
      throw new UnsupportedOperationException(name);
    }

    @Override
    public long free() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void delete(String name) {
      throw new UnsupportedOperationException(name);
    }
  }
}
