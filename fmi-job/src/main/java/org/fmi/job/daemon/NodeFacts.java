package org.fmi.job.daemon;

import org.fmi.job.control.Assignment;
import org.fmi.job.control.NodeSetup;
import org.fmi.spi.RankConfig;

/**
 * What a daemon knows of itself and its node.
 *
 * @param jobId the job's public name
 * @param secret the job's, which ranks are given
 * @param node the node's number
 * @param host the address under which other nodes reach this one
 * @param directory the node's directory in memory
 * @param pieces where its ranks keep checkpoints: there too, or on a disk
 * @param cores of this machine
 */
public record NodeFacts(
    String jobId,
    byte[] secret,
    int node,
    String host,
    String directory,
    String pieces,
    int cores) {
  /** What a spawned rank is told of itself. */
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
        .faults(assignment.faults())
        .build();
  }

  @Override
  public String toString() {
    return "NodeFacts[job " + jobId + ", node " + node + ", host " + host + "]";
  }
}
