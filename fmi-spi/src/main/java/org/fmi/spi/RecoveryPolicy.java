package org.fmi.spi;

import org.fmi.codec.Tag;
import org.jspecify.annotations.Nullable;

/**
 * How a job recovers: which ranks roll back after a failure, and how checkpoints are taken. Chosen
 * once, by {@code fmirun}; the job and all its ranks go by it.
 *
 * <p>What does not go together cannot be written down: a flow begins at a checkpoint that all ranks
 * have waited for, and {@code --check} repeats iterations of all ranks together.
 */
public sealed interface RecoveryPolicy {
  /**
   * All ranks roll back.
   *
   * @param overlapped see {@link #overlapped}
   * @param files see {@link #files}
   */
  @Tag(1)
  record Global(boolean overlapped, boolean files) implements RecoveryPolicy {}

  /**
   * Only failed ranks roll back; the others send them again what their logs hold.
   *
   * @param log what a rank may keep of the messages that it has sent
   * @param overlapped see {@link #overlapped}
   * @param files see {@link #files}
   */
  @Tag(2)
  record Local(Log log, boolean overlapped, boolean files) implements RecoveryPolicy {}

  /**
   * In a {@code flowLoop} only the ranks compute again that the lost data came from.
   *
   * @param limit the most ranks that do; all ranks roll back where more would have to
   * @param log in loops of the other forms only failed ranks roll back, with this log; null if all
   *     ranks do
   * @param files see {@link #files}
   */
  @Tag(3)
  record Flow(int limit, @Nullable Log log, boolean files) implements RecoveryPolicy {
    public Flow {
      if (limit < 1) {
        throw new IllegalArgumentException("a flow takes at least 1 rank, not " + limit);
      }
    }

    @Override
    public boolean overlapped() {
      return false;
    }
  }

  /**
   * All ranks roll back, also without a failure: iterations are repeated now and then, and
   * compared.
   *
   * @param files see {@link #files}
   */
  @Tag(4)
  record Checked(boolean files) implements RecoveryPolicy {
    @Override
    public boolean overlapped() {
      return false;
    }
  }

  /** The most that a rank keeps of the messages that it has sent since the last checkpoint. */
  sealed interface Log {
    /** As much as the state of the loop takes, as far as the node's memory allows that. */
    @Tag(1)
    record OfState() implements Log {}

    /**
     * A given number of bytes.
     *
     * @param bytes at least 1
     */
    @Tag(2)
    record OfBytes(long bytes) implements Log {
      public OfBytes {
        if (bytes < 1) {
          throw new IllegalArgumentException("a log takes at least 1 byte, not " + bytes);
        }
      }
    }
  }

  /** All ranks roll back, to a checkpoint that all of them have waited for. */
  static RecoveryPolicy global() {
    return new Global(false, false);
  }

  /**
   * Whether ranks continue while a checkpoint is taken, so that messages cross it. They still wait
   * for the first and the last one of a loop, and for those that are written to files.
   */
  boolean overlapped();

  /** Whether checkpoints are written to files, too. */
  boolean files();

  /** The log that lets only failed ranks roll back; null if there is none. */
  default @Nullable Log log() {
    return switch (this) {
      case Local local -> local.log;
      case Flow flow -> flow.log;
      case Global _, Checked _ -> null;
    };
  }

  /** Whether iterations are repeated now and then, and compared. */
  default boolean checked() {
    return this instanceof Checked;
  }

  /** Whether ranks wait for none of the checkpoints between a loop's first and its last one. */
  default boolean nobodyWaits() {
    return overlapped() && !files();
  }

  /**
   * Whether the messages of a loop are numbered from a checkpoint on, where there are logs. A
   * {@code flowLoop} rolls back as a whole: it needs that only where messages cross checkpoints.
   */
  default boolean numbersMessages(boolean flowLoop) {
    return !flowLoop || overlapped();
  }
}
