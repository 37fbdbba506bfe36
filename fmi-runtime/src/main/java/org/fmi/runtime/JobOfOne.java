package org.fmi.runtime;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.fmi.Fmi;
import org.fmi.control.AddressTable;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.core.progress.OwnCore;
import org.fmi.core.progress.ParkingClock;
import org.fmi.core.recovery.RankRuntime;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * A job of this process alone, as MPI's singleton (MPI 4 §11.8.2). It plays the job's part of the
 * talk with its rank. No rank can fail but together with the job, so nothing is ever rolled back.
 */
final class JobOfOne implements JobLink {
  /** As under fmirun where nobody says anything else. */
  private static final CheckpointInterval INTERVAL = new CheckpointInterval.Mtbf(3600);

  private static final long RECORD_LIMIT = 64 << 20;

  private @Nullable Listener listener;

  private JobOfOne() {}

  /** Starts it. */
  static Fmi join() throws IOException {
    return new RankRuntime(
        config(),
        new JobOfOne(),
        List.of(),
        (config, epoch, listener) -> FailureDetector.NONE, // there is nobody else
        (config, system, memory) -> new HeapStore(),
        new NoNodeMemory(),
        new ParkingClock(),
        OwnCore.NONE,
        () -> false);
  }

  private static RankConfig config() {
    return RankConfig.builder()
        .jobId("job-of-one")
        .secret(new byte[32])
        .size(1)
        .host("localhost")
        .nodeDirectory("")
        .ranksOnNode(1)
        .ranksOnMachine(1)
        .cores(Runtime.getRuntime().availableProcessors())
        .group(new int[] {0})
        .logRingBase(2)
        .heartbeatTimeoutMillis(1000)
        .recordLimitBytes(RECORD_LIMIT)
        .interval(INTERVAL)
        .build();
  }

  @Override
  public void listen(Listener newListener) {
    listener = newListener;
  }

  @Override
  public void send(RankMessage message) {
    switch (message) {
      case RankMessage.Joined m ->
          tell(new JobMessage.Start(m.epoch(), false, AddressTable.of(List.of(m.addresses()))));
      case RankMessage.Finished _ -> tell(new JobMessage.Release());
      case RankMessage.Abort m -> System.exit(m.status());
      // The rank would wait for the end of its process. Here the program hears of it.
      case RankMessage.Unrecoverable m -> throw new IllegalStateException(m.reason());
      case RankMessage.ProgramFault m -> throw new IllegalStateException(m.reason());
      case RankMessage.RestartNeeded m -> throw new IllegalStateException(m.reason());
      case RankMessage.Connected _,
          RankMessage.Running _,
          RankMessage.Left _,
          RankMessage.FilesRead _,
          RankMessage.Suspect _,
          RankMessage.CheckpointDone _,
          RankMessage.Stops _,
          RankMessage.CheckpointWanted _, // what serves no recovery serves nothing
          RankMessage.AtFault _,
          RankMessage.Choosing _, // a job of one rank keeps no log
          RankMessage.LocalImpossible _,
          RankMessage.Notify _,
          RankMessage.Failed _ -> {}
    }
  }

  private void tell(JobMessage message) {
    Objects.requireNonNull(listener).onMessage(message);
  }

  @Override
  public void flush() {}

  /** No other process will look for what this one leaves behind. */
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
