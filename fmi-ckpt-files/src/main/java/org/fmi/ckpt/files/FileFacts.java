package org.fmi.ckpt.files;

import java.util.List;

/**
 * A manifest's record of one file.
 *
 * @param name the name in the version's directory
 * @param bytes the file's length
 * @param digest the checksum in its trailer, which covers all its other checksums
 * @param ranks the ranks whose images are in it, ascending
 */
public record FileFacts(String name, long bytes, int digest, List<Integer> ranks) {
  public FileFacts {
    ranks = List.copyOf(ranks);
  }
}
