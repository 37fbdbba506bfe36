package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one rank's checkpoint images in memory outside of its heap, and protects them against the
 * loss of their node.
 *
 * <p>An image is <i>writing</i> from {@link #begin} on, and <i>complete</i> when {@link #protect}
 * has returned. The store holds the images of at least two versions at a time, and all that {@link
 * #release} was not called for; {@link #begin} never touches a complete one. Used by the
 * application's thread only. Any call that communicates may throw {@link org.fmi.Rollback}; what
 * was complete before stays complete.
 */
public interface CheckpointStore extends AutoCloseable {

  /**
   * The complete checkpoints this rank holds, image and code, ascending by version; found in node
   * memory after a restart too.
   */
  List<CheckpointId> held();

  /**
   * Makes room for an image.
   *
   * @return zero or more bytes of unspecified content, of the given size, to be filled by the
   *     caller before {@link #protect}, and not to be used after it
   * @throws IllegalStateException if this checkpoint is complete here: what was not committed by
   *     all is released before it is written again
   * @throws IOException if there is not enough memory; the message says how much is missing and
   *     where
   */
  MemorySegment begin(CheckpointId id, long bytes) throws IOException;

  /**
   * Whether the image that was begun last has the content of an earlier one, whose code is known:
   * parts that are left as they are, and reported by {@link #unchanged}, may need no new code.
   */
  default boolean holdsCoded() {
    return false;
  }

  /**
   * Tells that a part of the image that was begun last is and stays as {@link #begin} gave it. What
   * is not reported counts as changed. Parts are reported in ascending order.
   *
   * @param from the part's first byte in the image
   * @param to the byte behind it
   */
  default void unchanged(long from, long to) {}

  /**
   * How many bytes of the image that was protected last the code was computed of: those that were
   * changed, on this or another member of the group, and what lies in the same blocks.
   */
  long codedBytes();

  /**
   * {@link #begin}, with an image that is read: memory that is new costs less if it gets its
   * content at once, and blocks that were summed are not summed again.
   *
   * @param bytes that the source gives
   * @throws UnreadableException if it does not; nothing is begun then
   * @throws IOException if there is not enough memory
   */
  void fill(CheckpointId id, long bytes, ImageContent.Source source) throws IOException;

  /**
   * Computes checksums and the group's code; collective over the group. On return the image is
   * complete here.
   *
   * @throws IOException on all ranks of the group if one of them has not enough memory for the
   *     code; names it
   */
  void protect(CheckpointId id) throws IOException;

  /** {@link #protect}, in parts, beside what else the rank does. */
  interface Protection {
    /**
     * Does a small part of it, unless it had to wait for other members of the group.
     *
     * @return whether something was done
     * @throws IOException on all ranks of the group if one of them has not enough memory
     */
    boolean advance() throws IOException;

    /** Whether all is done. */
    boolean isComplete();
  }

  /**
   * Begins to protect the image that was begun last; collective over the group. Nothing else here
   * is called before that is complete, or given up because the epoch is over or all members do.
   *
   * @param id the same on all members; the iteration may be another than {@link #begin} was told
   */
  Protection protecting(CheckpointId id);

  /**
   * Changes the size of the image that was begun last; its content stays as far as it fits.
   *
   * @return the image, as of {@link #begin}: what that gave is not to be used any more
   */
  MemorySegment resize(CheckpointId id, long bytes) throws IOException;

  /**
   * Takes a complete checkpoint as one that is being written, with the content that it has: {@link
   * #protect} follows.
   */
  void reopen(CheckpointId id);

  /** Forgets a complete checkpoint; its memory is used again. Unknown versions are ignored. */
  void release(CheckpointId id);

  /** The image of a complete checkpoint, read-only. Not checked: see {@link #intact}. */
  MemorySegment image(CheckpointId id);

  /**
   * Keeps the image of a complete checkpoint as it is under one more name, beyond {@link #release}
   * and the life of this process, until somebody deletes that name. Only where memory is short it
   * is given up, and its content changes.
   *
   * @param as the beginning of that name
   * @return null if this store cannot
   */
  default @Nullable PinnedImage pin(CheckpointId id, String as) throws IOException {
    return null;
  }

  /** Compares a complete checkpoint, image and code, with its checksums; reads all of it. */
  boolean intact(CheckpointId id);

  /**
   * Brings a checkpoint back on those of the group's ranks that lost it, and computes its code
   * again, so that the next loss can be survived; collective over the group.
   *
   * @param lost world ranks of the group that do not hold it
   * @throws UnrecoverableException on all ranks of the group if more are lost than the code can
   *     bring back, or what others hold is damaged, which they forget then: the group can try again
   *     with what is left of this checkpoint, or of another one
   * @throws IOException if there is not enough memory
   */
  void rebuild(CheckpointId id, int[] lost) throws IOException, UnrecoverableException;

  /**
   * How many ranks of the group of this rank may lose a checkpoint at once. 0 for a group of one.
   */
  int tolerance();

  /** The memory that it takes, images and codes, free pieces included, in bytes. Any thread. */
  long memoryBytes();

  /**
   * The memory that it will take when the checkpoint that was begun last and the one after it are
   * complete, if that is as large; 0 before the first. Any thread.
   */
  long forecastBytes();

  /** Unmaps everything; the images stay in node memory. */
  @Override
  void close();
}
