package org.fmi.control;

import java.util.List;
import org.fmi.spi.PinnedImage;

/**
 * Images of a committed checkpoint that a rank keeps for its daemon, which may write them to files.
 *
 * @param version the checkpoint to continue from, the last of the images
 */
public record Pinned(int epoch, long version, List<PinnedImage> images) {
  /** Prefix of the names of pinned pieces. */
  public static final String PREFIX = "l2-";

  /** Prefix of the names of a rank's pinned pieces. */
  public static String prefix(int rank) {
    return PREFIX + "r" + rank + "-";
  }

  public Pinned {
    images = List.copyOf(images);
  }
}
