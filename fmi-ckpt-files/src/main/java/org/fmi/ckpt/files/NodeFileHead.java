package org.fmi.ckpt.files;

/**
 * The identity of a node's file.
 *
 * @param size the job's number of ranks
 * @param node the number of the node that has written it
 * @param epoch the job's epoch at that time
 * @param version the checkpoint's version
 */
public record NodeFileHead(String job, int size, int node, int epoch, long version) {
  /** The name of the file. */
  public String fileName() {
    return Names.nodeFile(node, epoch);
  }
}
