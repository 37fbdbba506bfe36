package org.fmi.job.control;

import java.util.List;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.spi.PinnedImage;

/** What a daemon's helper is to do: one thing at a time. */
@Wire
public sealed interface FlushTask {
  /** What the user named. */
  String directory();

  /** The job's id. */
  String job();

  /** The version that it is about. */
  long version();

  /** A version that may be deleted if there is no room, with what was left behind; -1 for none. */
  long oldest();

  /**
   * Write a node's file: answered by {@link FlushResult.Written}.
   *
   * @param bytesPerSecond at most; 0 for no limit
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

  /** What a rank keeps. */
  record OfRank(int rank, List<PinnedImage> images) {
    public OfRank {
      images = List.copyOf(images);
    }
  }

  /** Make a version count, and delete old ones: answered by {@link FlushResult.Published}. */
  @Tag(2)
  record Publish(String directory, String job, long version, long oldest, byte[] manifest, int keep)
      implements FlushTask {}
}
