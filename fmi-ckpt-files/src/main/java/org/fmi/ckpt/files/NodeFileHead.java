package org.fmi.ckpt.files;

/**
 * Whose file it is.
 *
 * @param size how many ranks the job has
 * @param node number of the node that has written it
 * @param epoch of the job, at that time
 * @param version of the checkpoint
 */
public record NodeFileHead(String job, int size, int node, int epoch, long version) {
  /** The name of the file. */
  public String fileName() {
    return Names.nodeFile(node, epoch);
  }
}
