package org.fmi.core.log;

/** What a {@link MessageLog} tells, in the call that it happens in. */
public interface LogListener {
  /** In place of a version. */
  long NO_VERSION = -1;

  /**
   * What was decided since a line.
   *
   * @param first how much of that was decided before
   */
  record Told(int first, long[] determinants) {}

  /** The last message was made again that has come elsewhere. */
  void caughtUp();

  /**
   * The log is over its limit: what was sent since the line cannot be sent again.
   *
   * @param bytes what the log would take with the message that has no room
   */
  default void outgrown(long bytes) {}

  /** The program is about to make a choice that is not covered. */
  void chooses(Choice choice);

  /**
   * A rank, this one or another, has decided this since a checkpoint.
   *
   * @return its number, as {@link #isKept} and {@link #awaitKept} take it, above those before it
   */
  long chose(int rank, long version, Told told);

  /** The version of the checkpoint that the log begins at; {@link #NO_VERSION} before the first. */
  long version();

  /** The version of the checkpoint that this rank has begun. */
  long versionBehind();

  /** Whether that, and all before it, is kept elsewhere. */
  boolean isKept(long number);

  /**
   * Returns once it is.
   *
   * @throws org.fmi.Rollback if the epoch is over, and this rank does not go on in the next
   */
  void awaitKept(long number);

  /**
   * A message that is made again is not the one that came before. Does not return.
   *
   * @throws org.fmi.Rollback as all go back
   */
  void differs(int dest, int context, long tag, long lengthBefore, long length);

  /**
   * One of up to so many messages that are made again, of which this is the last, is not the one
   * that came before. Does not return.
   *
   * @throws org.fmi.Rollback as all go back
   */
  void differsAmong(int messages, int dest, int context, long tag);
}
