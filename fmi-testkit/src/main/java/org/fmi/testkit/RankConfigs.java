package org.fmi.testkit;

import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;

/** Configurations of ranks, with values for all that a test does not ask for. */
public final class RankConfigs {
  /** The public name of the job. */
  public static final String JOB = "job";

  /** A process that is silent for this long is dead. */
  public static final int HEARTBEAT_MILLIS = 10_000;

  private RankConfigs() {}

  /** The settings of a job that takes a checkpoint in each iteration. */
  public static JobSettings.Builder job(int size) {
    return JobSettings.builder()
        .size(size)
        .interval(new CheckpointInterval.Every(1))
        .heartbeatMillis(HEARTBEAT_MILLIS)
        .recordLimitBytes(1 << 20);
  }

  /** One of some ranks that share a node. */
  public static RankConfig.Builder rank(int rank, int size) {
    return rank(rank, job(size).build());
  }

  /** One of the ranks of a job, which share a node. */
  public static RankConfig.Builder rank(int rank, JobSettings job) {
    return RankConfig.builder()
        .jobId(JOB)
        .secret(new byte[32])
        .rank(rank)
        .host("127.0.0.1")
        .nodeDirectory("/nowhere")
        .ranksOnNode(job.size())
        .ranksOnMachine(job.size())
        .cores(2)
        .group(new int[] {rank})
        .job(job);
  }
}
