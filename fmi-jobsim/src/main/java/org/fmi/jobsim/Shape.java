package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.spi.RecoveryPolicy.Checked;
import org.fmi.spi.RecoveryPolicy.Flow;
import org.fmi.spi.RecoveryPolicy.Global;
import org.fmi.spi.RecoveryPolicy.Local;

/** What is run, and on what. */
record Shape(
    int size,
    int ranksPerNode,
    int spares,
    int groupSize,
    int groupLosses,
    int logRingBase,
    CheckpointInterval interval,
    long recordLimitBytes,
    long sendBufferBytes,
    JobSpec.OnNoSpare policy,
    boolean requestsNodes,
    int maxRecoveries,
    RecoveryPolicy recovery,
    boolean requestsUnderWay,
    boolean collectives,
    Files files,
    List<FaultSpec> faults) {

  /**
   * Checkpoints on files.
   *
   * @param every iterations between two; 0: none are written
   * @param damagedPercent how many of them turn out to be damaged when they are read
   * @param longestNanos how long it takes at most to write one
   */
  record Files(long every, int damagedPercent, long longestNanos) {
    static final Files NONE = new Files(0, 0, 1);
  }

  /** One rank per node, one group, a checkpoint every two iterations. */
  static Shape plain(int size, int spares, JobSpec.OnNoSpare policy) {
    return new Builder(size, spares, policy).build();
  }

  /** A shape drawn by chance. */
  static Shape random(SplittableRandom random, int spares, JobSpec.OnNoSpare policy) {
    CheckpointInterval interval =
        random.nextInt(4) == 0
            ? new CheckpointInterval.Mtbf(Math.pow(10, -4 * random.nextDouble()))
            : new CheckpointInterval.Every(1 + random.nextInt(4));
    Builder shape = new Builder(2 + random.nextInt(7), spares, policy);
    shape.ranksPerNode = 1 + random.nextInt(2);
    shape.groupSize = 2 + random.nextInt(5);
    shape.groupLosses = random.nextInt(4);
    shape.logRingBase = 2 + random.nextInt(2);
    shape.interval = interval;
    if (random.nextInt(3) == 0) {
      shape.files =
          new Files(1 + random.nextInt(4), 50 * random.nextInt(2), 1 << random.nextInt(24));
    }
    // Mostly so little that it fills up, now and then none.
    shape.sendBufferBytes = random.nextInt(4) == 0 ? 0 : 512L << random.nextInt(8);
    return shape.build();
  }

  /** Writes checkpoints to files too. */
  Shape withFiles(Files written) {
    return with(shape -> shape.files = written);
  }

  Shape withInterval(CheckpointInterval other) {
    return with(shape -> shape.interval = other);
  }

  Shape withRecordLimit(long bytes) {
    return with(shape -> shape.recordLimitBytes = bytes);
  }

  /** Only failed ranks go back, as far as logs of this length allow that. */
  Shape withLocalRollback(long logBytes) {
    return withLocalRollback(new RecoveryPolicy.Log.OfBytes(logBytes));
  }

  /** Only failed ranks go back, as far as these logs allow that. */
  Shape withLocalRollback(RecoveryPolicy.Log log) {
    return withRecovery(
        switch (recovery) {
          case Global _, Local _ -> new Local(log, recovery.overlapped(), recovery.files());
          case Flow flow -> new Flow(flow.limit(), log, flow.files());
          case Checked _ -> throw new IllegalStateException(recovery + " with " + log);
        });
  }

  /** All ranks go back. */
  Shape withGlobalRollback() {
    return withRecovery(new Global(recovery.overlapped(), recovery.files()));
  }

  /** In a {@code flowLoop} at most so many ranks compute again, and the others wait. */
  Shape withFlowRollback(int ranks) {
    return withRecovery(new Flow(ranks, recovery.log(), recovery.files()));
  }

  Shape withRanksPerNode(int ranks) {
    return with(shape -> shape.ranksPerNode = ranks);
  }

  /** Asks for more nodes before it does what is done without a spare. */
  Shape withRequests() {
    return with(shape -> shape.requestsNodes = true);
  }

  /** Ends with status 70 rather than recover more often. */
  Shape withMaxRecoveries(int most) {
    return with(shape -> shape.maxRecoveries = most);
  }

  /** Survives this many losses per group at once. */
  Shape withGroupLosses(int losses) {
    return with(shape -> shape.groupLosses = losses);
  }

  /** Repeats iterations, and compares. */
  Shape withCheck() {
    return withRecovery(new Checked(recovery.files()));
  }

  /** Ranks go on while a checkpoint is taken. */
  Shape withOverlap() {
    return withRecovery(
        switch (recovery) {
          case Global global -> new Global(true, global.files());
          case Local local -> new Local(local.log(), true, local.files());
          case Flow _, Checked _ -> throw new IllegalStateException(recovery + " with overlap");
        });
  }

  /** Requests of the program are under way at checkpoints; of a job that can hold them. */
  Shape withRequestsUnderWay() {
    return with(shape -> shape.requestsUnderWay = true);
  }

  /** Runs {@link CollectivesWorkload}. */
  Shape withCollectives() {
    return with(shape -> shape.collectives = true);
  }

  /** Ranks that die at chosen places, once each. */
  Shape withFaults(FaultSpec... injected) {
    return with(shape -> shape.faults = List.of(injected));
  }

  private Shape withRecovery(RecoveryPolicy other) {
    return with(shape -> shape.recovery = other);
  }

  private Shape with(Consumer<Builder> change) {
    Builder shape = new Builder(size, spares, policy);
    shape.ranksPerNode = ranksPerNode;
    shape.groupSize = groupSize;
    shape.groupLosses = groupLosses;
    shape.logRingBase = logRingBase;
    shape.interval = interval;
    shape.recordLimitBytes = recordLimitBytes;
    shape.sendBufferBytes = sendBufferBytes;
    shape.requestsNodes = requestsNodes;
    shape.maxRecoveries = maxRecoveries;
    shape.recovery = recovery;
    shape.requestsUnderWay = requestsUnderWay;
    shape.collectives = collectives;
    shape.files = files;
    shape.faults = faults;
    change.accept(shape);
    return shape.build();
  }

  /** The parts of a shape by name. */
  private static final class Builder {
    private final int size;
    private final int spares;
    private final JobSpec.OnNoSpare policy;
    private int ranksPerNode = 1;
    private int groupSize;
    private int groupLosses = 1;
    private int logRingBase = 2;
    private CheckpointInterval interval = new CheckpointInterval.Every(2);
    private long recordLimitBytes = 1L << 20;
    private long sendBufferBytes = 16 << 20;
    private boolean requestsNodes;
    private int maxRecoveries = Integer.MAX_VALUE;
    private RecoveryPolicy recovery = RecoveryPolicy.global();
    private boolean requestsUnderWay;
    private boolean collectives;
    private Files files = Files.NONE;
    private List<FaultSpec> faults = List.of();

    Builder(int size, int spares, JobSpec.OnNoSpare policy) {
      this.size = size;
      this.spares = spares;
      this.policy = policy;
      this.groupSize = size;
    }

    /** Files are an option of their own. */
    private RecoveryPolicy recovery() {
      boolean written = files.every > 0;
      return switch (recovery) {
        case Global global -> new Global(global.overlapped(), written);
        case Local local -> new Local(local.log(), local.overlapped(), written);
        case Flow flow -> new Flow(flow.limit(), flow.log(), written);
        case Checked _ -> new Checked(written);
      };
    }

    Shape build() {
      return new Shape(
          size,
          ranksPerNode,
          spares,
          groupSize,
          groupLosses,
          logRingBase,
          interval,
          recordLimitBytes,
          sendBufferBytes,
          policy,
          requestsNodes,
          maxRecoveries,
          recovery(),
          requestsUnderWay,
          collectives,
          files,
          faults);
    }
  }

  /** What is run to find out whether it is survived. */
  JobSimulation.Program program() {
    if (collectives) {
      return CollectivesWorkload::run;
    }
    if (recovery instanceof Flow) {
      return FlowWorkload::run;
    }
    if (recovery.log() != null || recovery.overlapped()) {
      return requestsUnderWay ? LocalWorkload::runWithRequests : LocalWorkload::run;
    }
    return Workload::run;
  }

  /** A job to which nothing happens, of the same program. */
  Shape undisturbed() {
    Shape plain = plain(size, 0, JobSpec.OnNoSpare.ABORT);
    if (collectives) {
      return plain.withCollectives();
    }
    if (recovery instanceof Flow) {
      return plain.withFlowRollback(1);
    }
    if (recovery.log() == null && !recovery.overlapped()) {
      return plain;
    }
    Shape local = plain.withLocalRollback(1 << 20);
    return requestsUnderWay ? local.withRequestsUnderWay() : local;
  }

  /** What chooses such jobs on the command line. */
  String option() {
    if (collectives) {
      return " --collectives";
    }
    if (recovery instanceof Flow) {
      return " --flow";
    }
    return (recovery.log() == null ? "" : " --local") + (recovery.overlapped() ? " --overlap" : "");
  }

  /** The nodes that ranks are placed on at the start. */
  int usedNodes() {
    return Math.ceilDiv(size, ranksPerNode);
  }

  JobSpec spec() {
    List<JobSpec.Node> nodes = new ArrayList<>();
    for (int n = 0; n < usedNodes() + spares; n++) {
      nodes.add(new JobSpec.Node("node" + n, ranksPerNode, false));
    }
    return new JobSpec(
        size,
        new JobSpec.Room(nodes, ranksPerNode, policy, requestsNodes),
        new JobSpec.Grouping(groupSize, groupLosses),
        new JobSpec.Recovery(maxRecoveries, recovery),
        faults);
  }
}
