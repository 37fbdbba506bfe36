package org.fmi.job.daemon;

import org.fmi.job.control.Assignment;
import org.fmi.job.control.NodeSetup;
import org.fmi.spi.RankConfig;

/**
 * The facts that a daemon knows of itself and its node.
 *
 * @param jobId the public name of the job
 * @param secret the secret of the job, which ranks receive
 * @param node the number of the node
 * @param host the address under which other nodes reach this node
 * @param directory the directory of the node in memory
 * @param pieces the directory of the checkpoints: the same, or one on a disk
 * @param cores the number of cores of this machine
 * @param leaseNanos time for which ranks may run after fmirun was last heard
 * @param graceNanos time after which the daemon gives up fmirun, once its ranks are stopped
 */
public record NodeFacts(
    String jobId,
    byte[] secret,
    int node,
    String host,
    String directory,
    String pieces,
    int cores,
    long leaseNanos,
    long graceNanos) {
  /** Returns the configuration of a spawned rank. */
  RankConfig config(Assignment assignment, NodeSetup setup) {
    return RankConfig.builder()
        .jobId(jobId)
        .secret(secret)
        .rank(assignment.rank())
        .incarnation(assignment.incarnation())
        .host(host)
        .node(node)
        .nodeDirectory(directory)
        .pieceDirectory(pieces)
        .ranksOnNode(assignment.ranksOnNode())
        .ranksOnMachine(setup.ranksOnMachine(assignment.ranksOnNode()))
        .cores(cores)
        .group(assignment.group())
        .job(setup.job())
        .level2(setup.level2().plan(jobId, assignment.rank()))
        .earlier(setup.earlier())
        .faults(assignment.faults())
        .build();
  }

  @Override
  public String toString() {
    return "NodeFacts[job " + jobId + ", node " + node + ", host " + host + "]";
  }
}
