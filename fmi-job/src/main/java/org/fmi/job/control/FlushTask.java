package org.fmi.job.control;

import java.util.List;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.spi.PinnedImage;

/** A task of a daemon's helper, which does one at a time. */
@Wire
public sealed interface FlushTask {
  /** Returns the directory that the user named. */
  String directory();

  /** Returns the id of the job. */
  String job();

  /** Returns the version concerned. */
  long version();

  /**
   * Returns a version that may be deleted if there is no room, including leftovers; -1 for none.
   */
  long oldest();

  /**
   * Write a node's file: answered by {@link FlushResult.Written}.
   *
   * @param bytesPerSecond maximum rate; 0 for no limit
   * @param pieces the directory of the node's memory
   */
  @Tag(1)
  record Write(
      String directory,
      String job,
      int size,
      int node,
      int epoch,
      long version,
      long oldest,
      long bytesPerSecond,
      String pieces,
      List<OfRank> ranks)
      implements FlushTask {
    public Write {
      ranks = List.copyOf(ranks);
    }
  }

  /** The pinned images of a rank. */
  record OfRank(int rank, List<PinnedImage> images) {
    public OfRank {
      images = List.copyOf(images);
    }
  }

  /** Publish a version, and delete old ones: answered by {@link FlushResult.Published}. */
  @Tag(2)
  record Publish(String directory, String job, long version, long oldest, byte[] manifest, int keep)
      implements FlushTask {}
}
