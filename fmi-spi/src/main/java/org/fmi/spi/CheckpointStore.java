package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores one rank's checkpoint images in memory outside of its heap, and protects them against the
 * loss of their node.
 *
 * <p>An image is <i>writing</i> from {@link #begin} on, and <i>complete</i> when {@link #protect}
 * has returned. The store holds the images of at least two versions at a time, and every image for
 * which {@link #release} was not called. {@link #begin} never touches a complete image. Used by the
 * application's thread only. Any call that communicates may throw {@link org.fmi.Rollback};
 * complete images stay complete.
 */
public interface CheckpointStore extends AutoCloseable {

  /**
   * The complete checkpoints of this rank, image and code, ascending by version. After a restart
   * too, they are found in node memory.
   */
  List<CheckpointId> held();

  /**
   * Makes room for an image.
   *
   * @return zero or more bytes of unspecified content, of the given size. The caller fills them
   *     before {@link #protect}, and does not use them after it.
   * @throws IllegalStateException if this checkpoint is complete here: a checkpoint that not all
   *     ranks committed is released before it is written again
   * @throws NoRoomException if there is not enough memory; the message says how much is missing and
   *     where. {@link #protect} may follow, and throws on all ranks of the group.
   * @throws IOException if the system refuses it for another reason
   */
  MemorySegment begin(CheckpointId id, long bytes) throws IOException;

  /**
   * Whether the image that was begun last has the content of an earlier image, whose code is known.
   * Parts that the caller leaves as they are, and reports by {@link #unchanged}, may need no new
   * code.
   */
  default boolean holdsCoded() {
    return false;
  }

  /**
   * Reports that a part of the image that was begun last stays as {@link #begin} returned it.
   * Unreported parts count as changed. Parts are reported in ascending order.
   *
   * @param from the part's first byte in the image
   * @param to the end of the part, exclusive
   */
  default void unchanged(long from, long to) {}

  /**
   * The number of bytes of the last protected image whose code was computed: those changed on this
   * or another member of the group, and the rest of their blocks.
   */
  long codedBytes();

  /**
   * {@link #begin} with an image that is read. Filling new memory at once costs less, and checksums
   * of blocks from the source are not computed again.
   *
   * @param bytes the size of the source
   * @throws UnreadableException if the source fails; nothing is begun then
   * @throws IOException if there is not enough memory
   */
  void fill(CheckpointId id, long bytes, ImageContent.Source source) throws IOException;

  /**
   * Computes checksums and the group's code; collective over the group. On return the image is
   * complete here.
   *
   * @throws NoRoomException on all ranks of the group if one of them has not enough memory for the
   *     image or the code; says {@link NoRoomException#isHere which}
   * @throws IOException on this rank alone, if the system refuses it something; the others wait
   */
  void protect(CheckpointId id) throws IOException;

  /** {@link #protect} in steps, interleaved with other work of the rank. */
  interface Protection {
    /**
     * Does a small part of the work, unless it has to wait for other members of the group.
     *
     * @return whether any work was done
     * @throws NoRoomException on all ranks of the group if one of them has not enough memory
     * @throws IOException on this rank alone, if the system refuses it something
     */
    boolean advance() throws IOException;

    /** Whether the image is protected. */
    boolean isComplete();
  }

  /**
   * Begins to protect the image that was begun last; collective over the group. No other method
   * here is called before the protection is complete, or given up because the epoch is over or all
   * members give up.
   *
   * @param id the same on all members; the iteration may differ from the one given to {@link
   *     #begin}
   */
  Protection protecting(CheckpointId id);

  /**
   * Changes the size of the image that was begun last. Its content stays up to the smaller size.
   *
   * @return the image, as of {@link #begin}; the earlier segment must not be used any more
   * @throws NoRoomException as {@link #begin}; {@link #protecting} may follow
   */
  MemorySegment resize(CheckpointId id, long bytes) throws IOException;

  /**
   * Turns a complete checkpoint into one that is being written, with its content; {@link #protect}
   * follows.
   */
  void reopen(CheckpointId id);

  /** Drops a complete checkpoint and reuses its memory. Ignores unknown versions. */
  void release(CheckpointId id);

  /** The image of a complete checkpoint, read-only and unchecked: see {@link #intact}. */
  MemorySegment image(CheckpointId id);

  /**
   * Preserves the image of a complete checkpoint under one more name, beyond {@link #release} and
   * the life of this process, until that name is deleted. If memory is short, the image is given
   * up, and its content changes.
   *
   * @param as the prefix of that name
   * @return null if this store cannot pin
   */
  default @Nullable PinnedImage pin(CheckpointId id, String as) throws IOException {
    return null;
  }

  /** Compares a complete checkpoint, image and code, with its checksums. Reads all of it. */
  boolean intact(CheckpointId id);

  /**
   * Rebuilds a checkpoint on the ranks of the group that lost it, and computes its code again, so
   * that the next loss can be survived; collective over the group.
   *
   * @param lost the world ranks of the group that do not hold it
   * @throws UnrecoverableException on all ranks of the group if more are lost than the code can
   *     rebuild, or if a surviving part is damaged. A rank drops its damaged part, so that the
   *     group can try again with the rest of this checkpoint, or with another one.
   * @throws IOException on this rank alone, if there is not enough memory or the system refuses it
   *     something: it cannot continue here, and the others wait until it is replaced
   */
  void rebuild(CheckpointId id, int[] lost) throws IOException, UnrecoverableException;

  /**
   * The number of ranks of this rank's group that may lose a checkpoint at once; 0 for a group of
   * one.
   */
  int tolerance();

  /** The memory in use, in bytes: images, codes and free pieces. Any thread. */
  long memoryBytes();

  /**
   * The memory in use once the checkpoint that was begun last and the next one, if equally large,
   * are complete; 0 before the first. Any thread.
   */
  long forecastBytes();

  /** Unmaps everything. The images stay in node memory. */
  @Override
  void close();
}
