package org.fmi.jobsim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Detection;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.spi.RecoveryPolicy.Checked;
import org.fmi.spi.RecoveryPolicy.End;
import org.fmi.spi.RecoveryPolicy.Flow;
import org.fmi.spi.RecoveryPolicy.Global;
import org.fmi.spi.RecoveryPolicy.Local;
import org.fmi.spi.RecoveryPolicy.Shrink;
import org.fmi.testkit.SimCluster;

/**
 * The program of a simulated job, its options, and its nodes.
 *
 * @param graph draws the task graph that a job which continues without lost ranks runs; 0: it runs
 *     none
 */
record Shape(
    JobSettings job,
    int ranksPerNode,
    int spares,
    int groupSize,
    JobSpec.OnNoSpare onNoSpare,
    boolean requestsNodes,
    int maxRecoveries,
    int mostWithoutProgress,
    boolean requestsUnderWay,
    boolean collectives,
    long graph,
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

  int size() {
    return job.size();
  }

  private RecoveryPolicy recovery() {
    return job.policy();
  }

  /** Whether the job continues without lost ranks. */
  boolean shrinks() {
    return recovery() instanceof Shrink;
  }

  /** One rank per node, one group, a checkpoint every two iterations. */
  static Shape plain(int size, int spares, JobSpec.OnNoSpare onNoSpare) {
    return new Builder(size, spares, onNoSpare).build();
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
    shape.job.groupLosses(random.nextInt(4)).logRingBase(2 + random.nextInt(2)).interval(interval);
    if (random.nextInt(3) == 0) {
      shape.files =
          new Files(1 + random.nextInt(4), 50 * random.nextInt(2), 1 << random.nextInt(24));
    }
    // Mostly so little that it fills up, now and then none.
    shape.job.sendBufferBytes(random.nextInt(4) == 0 ? 0 : 512L << random.nextInt(8));
    return shape.build();
  }

  /** Lets one rank watch another. */
  Shape withHeartRing() {
    int period = SimCluster.HEARTBEAT_TIMEOUT_MILLIS / 4;
    return with(
        shape -> shape.job.detection(new Detection(Detection.Overlay.HEARTRING, period, true)));
  }

  /** Writes checkpoints to files too. */
  Shape withFiles(Files written) {
    return with(shape -> shape.files = written);
  }

  Shape withInterval(CheckpointInterval other) {
    return with(shape -> shape.job.interval(other));
  }

  Shape withRecordLimit(long bytes) {
    return with(shape -> shape.job.recordLimitBytes(bytes));
  }

  /** Sets local rollback with logs of this length. */
  Shape withLocalRollback(long logBytes) {
    return withLocalRollback(new RecoveryPolicy.Log.OfBytes(logBytes));
  }

  /** Sets local rollback with these logs. */
  Shape withLocalRollback(RecoveryPolicy.Log log) {
    return withRecovery(
        switch (recovery()) {
          case Global global -> new Local(log, global.overlapped(), global.files());
          case Local local -> new Local(log, local.overlapped(), local.files());
          case Flow flow -> new Flow(flow.limit(), log, flow.files());
          case Checked _, Shrink _, End _ ->
              throw new IllegalStateException(recovery() + " with " + log);
        });
  }

  /** Sets global rollback. */
  Shape withGlobalRollback() {
    return withRecovery(new Global(recovery().overlapped(), recovery().files()));
  }

  /** Sets data-flow rollback: at most this many ranks of a {@code flowLoop} compute again. */
  Shape withFlowRollback(int ranks) {
    return withRecovery(new Flow(ranks, recovery().log(), recovery().files()));
  }

  /** Continues without lost ranks, and runs {@link ShrinkWorkload}. */
  Shape withShrink() {
    return withFiles(Files.NONE).withRecovery(new Shrink());
  }

  /** Runs {@link TasksWorkload}; of a job that continues without lost ranks. */
  Shape withGraph(long seed) {
    return with(shape -> shape.graph = seed);
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

  /** Ends with status 70 rather than recover more often in a row without progress. */
  Shape withMostWithoutProgress(int most) {
    return with(shape -> shape.mostWithoutProgress = most);
  }

  /** Survives this many losses per group at once. */
  Shape withGroupSize(int ranks) {
    return with(shape -> shape.groupSize = ranks);
  }

  Shape withGroupLosses(int losses) {
    return with(shape -> shape.job.groupLosses(losses));
  }

  /** Repeats iterations, and compares. */
  Shape withCheck() {
    return withRecovery(new Checked(recovery().files()));
  }

  /** Sets overlapped checkpoints: ranks continue while a checkpoint is taken. */
  Shape withOverlap() {
    return withRecovery(
        switch (recovery()) {
          case Global global -> new Global(true, global.files());
          case Local local -> new Local(local.log(), true, local.files());
          case End end -> new End(true, end.files());
          case Flow _, Checked _, Shrink _ ->
              throw new IllegalStateException(recovery() + " with overlap");
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
    return with(shape -> shape.policy = other);
  }

  private Shape with(Consumer<Builder> change) {
    Builder shape = new Builder(job.toBuilder(), groupSize, spares, onNoSpare);
    shape.policy = job.policy();
    shape.ranksPerNode = ranksPerNode;
    shape.requestsNodes = requestsNodes;
    shape.maxRecoveries = maxRecoveries;
    shape.mostWithoutProgress = mostWithoutProgress;
    shape.requestsUnderWay = requestsUnderWay;
    shape.collectives = collectives;
    shape.graph = graph;
    shape.files = files;
    shape.faults = faults;
    change.accept(shape);
    return shape.build();
  }

  /** The parts of a shape by name. */
  private static final class Builder {
    private final JobSettings.Builder job;
    private final int spares;
    private final JobSpec.OnNoSpare onNoSpare;
    private int ranksPerNode = 1;
    private int groupSize;
    private boolean requestsNodes;
    private int maxRecoveries = Integer.MAX_VALUE;
    private int mostWithoutProgress;
    private RecoveryPolicy policy = RecoveryPolicy.global();
    private boolean requestsUnderWay;
    private boolean collectives;
    private long graph;
    private Files files = Files.NONE;
    private List<FaultSpec> faults = List.of();

    Builder(int size, int spares, JobSpec.OnNoSpare onNoSpare) {
      this(
          JobSettings.builder()
              .size(size)
              .interval(new CheckpointInterval.Every(2))
              .heartbeatMillis(SimCluster.HEARTBEAT_TIMEOUT_MILLIS)
              .recordLimitBytes(1 << 20)
              .sendBufferBytes(16 << 20),
          size,
          spares,
          onNoSpare);
    }

    Builder(JobSettings.Builder job, int groupSize, int spares, JobSpec.OnNoSpare onNoSpare) {
      this.job = job;
      this.groupSize = groupSize;
      this.spares = spares;
      this.onNoSpare = onNoSpare;
    }

    /**
     * Returns the policy, with whether checkpoints are written to files, which is set separately.
     */
    private RecoveryPolicy recovery() {
      boolean written = files.every > 0;
      return switch (policy) {
        case Global global -> new Global(global.overlapped(), written);
        case Local local -> new Local(local.log(), local.overlapped(), written);
        case Flow flow -> new Flow(flow.limit(), flow.log(), written);
        case Checked _ -> new Checked(written);
        case Shrink shrink -> shrink;
        case End end -> new End(end.overlapped(), written);
      };
    }

    Shape build() {
      return new Shape(
          job.policy(recovery()).build(),
          ranksPerNode,
          spares,
          groupSize,
          onNoSpare,
          requestsNodes,
          maxRecoveries,
          mostWithoutProgress,
          requestsUnderWay,
          collectives,
          graph,
          files,
          faults);
    }
  }

  /** Returns the program that such jobs run. */
  JobSimulation.Program program() {
    if (shrinks()) {
      return graph == 0 ? new ShrinkWorkload()::run : new TasksWorkload(graph)::run;
    }
    if (collectives) {
      return CollectivesWorkload::run;
    }
    if (recovery() instanceof Flow) {
      return FlowWorkload::run;
    }
    if (recovery().log() != null || recovery().overlapped()) {
      return requestsUnderWay ? LocalWorkload::runWithRequests : LocalWorkload::run;
    }
    return Workload::run;
  }

  /** Returns a job of the same program without faults. */
  Shape undisturbed() {
    Shape plain = plain(size(), 0, JobSpec.OnNoSpare.ABORT);
    if (shrinks()) {
      return plain.withShrink().withGraph(graph);
    }
    if (collectives) {
      return plain.withCollectives();
    }
    if (recovery() instanceof Flow) {
      return plain.withFlowRollback(1);
    }
    if (recovery().log() == null && !recovery().overlapped()) {
      return plain;
    }
    Shape local = plain.withLocalRollback(1 << 20);
    return requestsUnderWay ? local.withRequestsUnderWay() : local;
  }

  /** Returns the command line's option for such jobs. */
  String option() {
    if (shrinks()) {
      return " --shrink";
    }
    if (collectives) {
      return " --collectives";
    }
    if (recovery() instanceof Flow) {
      return " --flow";
    }
    String who = recovery().log() == null ? "" : " --local";
    return who + (recovery().overlapped() ? " --overlap" : "");
  }

  /** The nodes that ranks are placed on at the start. */
  int usedNodes() {
    return Math.ceilDiv(size(), ranksPerNode);
  }

  JobSpec spec() {
    List<JobSpec.Node> nodes = new ArrayList<>();
    for (int n = 0; n < usedNodes() + spares; n++) {
      nodes.add(new JobSpec.Node("node" + n, ranksPerNode, false));
    }
    return new JobSpec(
        size(),
        new JobSpec.Room(nodes, ranksPerNode, onNoSpare, requestsNodes),
        new JobSpec.Grouping(groupSize, job.groupLosses()),
        new JobSpec.Recovery(maxRecoveries, mostWithoutProgress, job.policy()),
        faults);
  }
}
