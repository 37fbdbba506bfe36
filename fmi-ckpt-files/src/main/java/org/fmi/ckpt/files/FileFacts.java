package org.fmi.ckpt.files;

import java.util.List;

/**
 * What a manifest says of one file.
 *
 * @param name in the directory of the version
 * @param bytes its length
 * @param digest the checksum of its trailer, which covers all others
 * @param ranks whose images are in it, ascending
 */
public record FileFacts(String name, long bytes, int digest, List<Integer> ranks) {
  public FileFacts {
    ranks = List.copyOf(ranks);
  }
}
