package org.fmi.spi;

import org.fmi.codec.Tag;
import org.jspecify.annotations.Nullable;

/**
 * A job's recovery policy: what a failure leads to, which ranks roll back, and how checkpoints are
 * taken. Chosen once, by {@code fmirun}; the job and all its ranks follow it.
 *
 * <p>Invalid combinations cannot be expressed: a flow begins at a blocking checkpoint, {@code
 * --check} repeats iterations of all ranks together, and where no rank is replaced none rolls back.
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
   * Only failed ranks roll back. The other ranks resend the messages in their logs.
   *
   * @param log the limit of a rank's log of sent messages
   * @param overlapped see {@link #overlapped}
   * @param files see {@link #files}
   */
  @Tag(2)
  record Local(Log log, boolean overlapped, boolean files) implements RecoveryPolicy {}

  /**
   * In a {@code flowLoop}, only ranks on whose data the lost state depends compute again.
   *
   * @param limit the highest number of such ranks; if more ranks would have to, all ranks roll back
   * @param log the log for loops of the other forms, where only failed ranks roll back; null if all
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
   * All ranks roll back, even without a failure: iterations are repeated from time to time, and
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

  /** Lost ranks stay lost. The other ranks continue without them; a loop takes no checkpoints. */
  @Tag(5)
  record Shrink() implements RecoveryPolicy {
    @Override
    public boolean overlapped() {
      return false;
    }

    @Override
    public boolean files() {
      return false;
    }
  }

  /**
   * The first loss of a rank ends the job. Its checkpoints serve a later job, from files.
   *
   * @param overlapped see {@link #overlapped}
   * @param files see {@link #files}
   */
  @Tag(6)
  record End(boolean overlapped, boolean files) implements RecoveryPolicy {}

  /** The limit of a rank's log of messages sent since the last checkpoint. */
  sealed interface Log {
    /** The size of the loop's state, as the node's memory permits. */
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

  /** All ranks roll back, to a blocking checkpoint. */
  static RecoveryPolicy global() {
    return new Global(false, false);
  }

  /**
   * Whether ranks continue while a checkpoint is taken, so that messages may cross it. The first
   * and the last checkpoint of a loop, and checkpoints written to files, are blocking nevertheless.
   */
  boolean overlapped();

  /** Whether checkpoints are written to files too. */
  boolean files();

  /** The log of a local rollback; null if there is none. */
  default @Nullable Log log() {
    return switch (this) {
      case Local local -> local.log;
      case Flow flow -> flow.log;
      case Global _, Checked _, Shrink _, End _ -> null;
    };
  }

  /** The consequence of a rank's loss, once the program may run. */
  default OnFailure onFailure() {
    return switch (this) {
      case Global _, Local _, Flow _, Checked _ -> OnFailure.REPLACE;
      case Shrink _ -> OnFailure.SHRINK;
      case End _ -> OnFailure.END;
    };
  }

  /** Whether iterations are repeated from time to time, and compared. */
  default boolean checked() {
    return this instanceof Checked;
  }

  /** Whether all checkpoints between a loop's first and its last one are asynchronous. */
  default boolean asynchronous() {
    return overlapped() && !files();
  }

  /**
   * Whether the messages of a loop are numbered from a checkpoint on, in a job with logs. A {@code
   * flowLoop} rolls back as a whole: it needs numbers only where messages cross checkpoints.
   */
  default boolean numbersMessages(boolean flowLoop) {
    return !flowLoop || overlapped();
  }
}
