package org.fmi.control;

import java.util.List;
import org.fmi.spi.PinnedImage;

/**
 * A rank keeps images of a committed checkpoint for its daemon, which may write them to files.
 *
 * @param version of the checkpoint to go on from, the last of the images
 */
public record Pinned(int epoch, long version, List<PinnedImage> images) {
  /** Names of what is kept begin so. */
  public static final String PREFIX = "l2-";

  /** Names of what a rank keeps begin so. */
  public static String prefix(int rank) {
    return PREFIX + "r" + rank + "-";
  }

  public Pinned {
    images = List.copyOf(images);
  }
}
