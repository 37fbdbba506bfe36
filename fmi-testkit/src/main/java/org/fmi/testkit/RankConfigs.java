package org.fmi.testkit;

import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;

/** Configurations of ranks, with defaults for the values that a test does not set. */
public final class RankConfigs {
  /** The public name of the job. */
  public static final String JOB = "job";

  /** The heartbeat timeout. */
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

  /** A rank of a job of {@code size} ranks that share a node. */
  public static RankConfig.Builder rank(int rank, int size) {
    return rank(rank, job(size).build());
  }

  /** A rank of a job whose ranks share a node. */
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
