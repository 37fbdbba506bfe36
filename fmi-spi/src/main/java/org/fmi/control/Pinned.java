package org.fmi.control;

import java.util.List;

/**
 * A rank keeps images of a committed checkpoint for its daemon, which may write them to files.
 *
 * @param version of the checkpoint to go on from, the last of the images
 */
public record Pinned(int epoch, long version, List<Image> images) {
  /** Names of what is kept begin so. */
  public static final String PREFIX = "l2-";

  /** Names of what a rank keeps begin so. */
  public static String prefix(int rank) {
    return PREFIX + "r" + rank + "-";
  }

  public Pinned {
    images = List.copyOf(images);
  }

  /**
   * An image in a piece of node memory.
   *
   * @param piece its name
   * @param at where the image begins in it
   * @param lengths of its blocks; the last one may reach beyond the image
   * @param sums CRC32C of each block
   */
  public record Image(
      long version,
      long loop,
      long iteration,
      boolean last,
      String piece,
      long at,
      long bytes,
      int[] lengths,
      int[] sums) {}
}
