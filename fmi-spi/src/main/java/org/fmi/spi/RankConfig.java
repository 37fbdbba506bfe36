package org.fmi.spi;

import java.nio.file.Path;
import java.util.List;

/**
 * What a rank is told when it starts; the same for all epochs of its process.
 *
 * @param jobId the job's public name, part of every name on the machine
 * @param secret the job's secret, 32 bytes; never logged
 * @param rank this rank
 * @param size the number of ranks
 * @param incarnation how many processes served this rank before
 * @param host the address under which other nodes reach this one
 * @param node number of the node this process runs on
 * @param nodeDirectory the daemon's directory in node memory (mode 0700), deleted with the node or
 *     job
 * @param ranksOnNode ranks of this node
 * @param ranksOnMachine ranks that share this machine's cores and memory: those of all nodes, if
 *     they are local ones
 * @param cores cores that these may use
 * @param group the world ranks of this rank's checkpoint group, ascending, this one included
 * @param logRingBase base k of the log-ring
 * @param heartbeatTimeoutMillis a process silent for so long is declared dead
 * @param recordLimitBytes the most that is recorded outside of loops for a replacement
 * @param interval when checkpoints are taken
 * @param transports names of the transports to use, in order of preference; empty for all
 * @param faults failures to inject in this process
 */
public record RankConfig(
    String jobId,
    byte[] secret,
    int rank,
    int size,
    int incarnation,
    String host,
    int node,
    String nodeDirectory,
    int ranksOnNode,
    int ranksOnMachine,
    int cores,
    int[] group,
    int logRingBase,
    int heartbeatTimeoutMillis,
    long recordLimitBytes,
    CheckpointInterval interval,
    List<String> transports,
    List<Fault> faults) {

  /**
   * The file that the first rank of a node to go on without a transport makes, and says so; the
   * others find it, and do not say it again.
   */
  public Path saidWithout(String transport) {
    return Path.of(nodeDirectory, "without-" + transport);
  }

  /** The same, but for the transports. */
  public RankConfig withTransports(List<String> names) {
    return new RankConfig(
        jobId,
        secret,
        rank,
        size,
        incarnation,
        host,
        node,
        nodeDirectory,
        ranksOnNode,
        ranksOnMachine,
        cores,
        group,
        logRingBase,
        heartbeatTimeoutMillis,
        recordLimitBytes,
        interval,
        names,
        faults);
  }

  @Override
  public String toString() {
    return "RankConfig[job "
        + jobId
        + ", rank "
        + rank
        + " of "
        + size
        + ", incarnation "
        + incarnation
        + "]";
  }
}
