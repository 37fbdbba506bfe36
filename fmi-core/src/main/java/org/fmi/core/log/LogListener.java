package org.fmi.core.log;

/** Callbacks of a {@link MessageLog}, on the calling thread. */
public interface LogListener {
  /** Stands for a version where there is none. */
  long NO_VERSION = -1;

  /**
   * Determinants of one rank since one recovery line.
   *
   * @param first the number of longs that precede these since that recovery line
   */
  record NewDeterminants(int first, long[] determinants) {}

  /** The last message that a peer had already received has been replayed. */
  void caughtUp();

  /**
   * The log exceeds its limit: the messages sent since the recovery line cannot be resent.
   *
   * @param bytes size of the log including the message that does not fit
   */
  default void outgrown(long bytes) {}

  /** The program is about to make a choice that is not covered. */
  void chooses(Choice choice);

  /**
   * Reports determinants of this or another rank since a checkpoint.
   *
   * @return the report's number for {@link #isStable} and {@link #awaitStable}; numbers ascend
   */
  long report(int rank, long version, NewDeterminants told);

  /** The version of the checkpoint that the log begins at; {@link #NO_VERSION} before the first. */
  long version();

  /** The version of the checkpoint that this rank has begun but not committed. */
  long versionBegun();

  /** Whether this report and all earlier ones are stable. */
  boolean isStable(long number);

  /**
   * Waits until this report is stable.
   *
   * @throws org.fmi.Rollback if the epoch is over and this rank does not continue in the next
   */
  void awaitStable(long number);

  /**
   * A replayed message differs from the one received before. Does not return.
   *
   * @throws org.fmi.Rollback as all ranks roll back
   */
  void differs(int dest, int context, long tag, long lengthBefore, long length);

  /**
   * A block of replayed messages, of which this is the last, differs from the messages received
   * before. Does not return.
   *
   * @param messages maximum number of messages in the block
   * @throws org.fmi.Rollback as all ranks roll back
   */
  void blockDiffers(int messages, int dest, int context, long tag);
}
