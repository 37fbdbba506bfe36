package org.fmi.job.daemon;

/**
 * What a daemon knows of itself and its node.
 *
 * @param jobId the job's public name
 * @param secret the job's, which ranks are given
 * @param node the node's number
 * @param host the address under which other nodes reach this one
 * @param directory the node's directory in memory
 * @param cores of this machine
 */
public record NodeFacts(
    String jobId, byte[] secret, int node, String host, String directory, int cores) {
  @Override
  public String toString() {
    return "NodeFacts[job " + jobId + ", node " + node + ", host " + host + "]";
  }
}
