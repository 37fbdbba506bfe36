package org.fmi.spi;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a rank's process, the same for all its epochs. Made with {@link #builder},
 * so that each part stands beside its name.
 *
 * @param jobId the job's public name, part of every name on the machine
 * @param secret the job's secret, 32 bytes; never logged
 * @param rank this rank
 * @param incarnation the number of earlier processes of this rank
 * @param host the address under which other nodes reach this one
 * @param node number of the node this process runs on
 * @param nodeDirectory the daemon's directory in node memory (mode 0700), deleted with the node or
 *     job
 * @param pieceDirectory the node's directory for checkpoints: the same, or one on a disk
 * @param ranksOnNode the number of ranks on this node
 * @param ranksOnMachine the number of ranks that share this machine's cores and memory, which are
 *     the ranks of all nodes if the nodes are local
 * @param cores the number of cores available to these ranks
 * @param group the world ranks of this rank's checkpoint group, ascending, this one included
 * @param job the settings common to all ranks
 * @param level2 checkpoints on files
 * @param earlier the memory of an earlier job that this one begins from
 * @param faults failures to inject in this process
 */
public record RankConfig(
    String jobId,
    byte[] secret,
    int rank,
    int incarnation,
    String host,
    int node,
    String nodeDirectory,
    String pieceDirectory,
    int ranksOnNode,
    int ranksOnMachine,
    int cores,
    int[] group,
    JobSettings job,
    Level2Plan level2,
    EarlierMemory earlier,
    List<Fault> faults) {
  /** The number of ranks. */
  public int size() {
    return job.size();
  }

  /**
   * The marker file of a node's first rank to continue without a transport, which reports it. The
   * other ranks find the file, and do not report it again.
   */
  public Path withoutMarker(String transport) {
    return Path.of(nodeDirectory, "without-" + transport);
  }

  /** A builder. Parts without a default value must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts with this configuration. */
  public Builder toBuilder() {
    return new Builder()
        .jobId(jobId)
        .secret(secret)
        .rank(rank)
        .incarnation(incarnation)
        .host(host)
        .node(node)
        .nodeDirectory(nodeDirectory)
        .pieceDirectory(pieceDirectory)
        .ranksOnNode(ranksOnNode)
        .ranksOnMachine(ranksOnMachine)
        .cores(cores)
        .group(group)
        .job(job)
        .level2(level2)
        .earlier(earlier)
        .faults(faults);
  }

  /** A copy with other transports. */
  public RankConfig withTransports(List<String> names) {
    return toBuilder().job(job.toBuilder().transports(names).build()).build();
  }

  @Override
  public String toString() {
    return "RankConfig[job "
        + jobId
        + ", rank "
        + rank
        + " of "
        + job.size()
        + ", incarnation "
        + incarnation
        + "]";
  }

  /** Collects the parts of a {@link RankConfig} by name. */
  public static final class Builder {
    private @Nullable String jobId;
    private byte @Nullable [] secret;
    private int rank;
    private int incarnation;
    private @Nullable String host;
    private int node;
    private @Nullable String nodeDirectory;
    private @Nullable String pieceDirectory;
    private int ranksOnNode;
    private int ranksOnMachine;
    private int cores;
    private int @Nullable [] group;
    private @Nullable JobSettings job;
    private Level2Plan level2 = Level2Plan.NONE;
    private EarlierMemory earlier = EarlierMemory.NONE;
    private List<Fault> faults = List.of();

    private Builder() {}

    public Builder jobId(String value) {
      jobId = value;
      return this;
    }

    public Builder secret(byte[] value) {
      secret = value;
      return this;
    }

    public Builder rank(int value) {
      rank = value;
      return this;
    }

    public Builder incarnation(int value) {
      incarnation = value;
      return this;
    }

    public Builder host(String value) {
      host = value;
      return this;
    }

    public Builder node(int value) {
      node = value;
      return this;
    }

    public Builder nodeDirectory(String value) {
      nodeDirectory = value;
      return this;
    }

    /** Sets the directory for checkpoints, if it differs from the node's. */
    public Builder pieceDirectory(String value) {
      pieceDirectory = value;
      return this;
    }

    public Builder ranksOnNode(int value) {
      ranksOnNode = value;
      return this;
    }

    public Builder ranksOnMachine(int value) {
      ranksOnMachine = value;
      return this;
    }

    public Builder cores(int value) {
      cores = value;
      return this;
    }

    public Builder group(int[] value) {
      group = value;
      return this;
    }

    public Builder job(JobSettings value) {
      job = value;
      return this;
    }

    public Builder level2(Level2Plan value) {
      level2 = value;
      return this;
    }

    public Builder earlier(EarlierMemory value) {
      earlier = value;
      return this;
    }

    public Builder faults(List<Fault> value) {
      faults = value;
      return this;
    }

    /**
     * The configuration.
     *
     * @throws NullPointerException if a part was not set, with its name
     */
    public RankConfig build() {
      return new RankConfig(
          Objects.requireNonNull(jobId, "jobId"),
          Objects.requireNonNull(secret, "secret"),
          rank,
          incarnation,
          Objects.requireNonNull(host, "host"),
          node,
          Objects.requireNonNull(nodeDirectory, "nodeDirectory"),
          pieceDirectory == null ? nodeDirectory : pieceDirectory,
          ranksOnNode,
          ranksOnMachine,
          cores,
          Objects.requireNonNull(group, "group"),
          Objects.requireNonNull(job, "job"),
          level2,
          earlier,
          faults);
    }
  }
}
