package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.JobMessage;
import org.fmi.spi.RankConfig;

/** A message from a daemon to a rank's process. */
@Wire
public sealed interface ToRank {
  /**
   * Warm up for an assignment that may arrive later: load the classes that a rank needs.
   *
   * @param directory to be created for the warm-up; it is deleted when this process ends
   */
  @Tag(3)
  record WarmUp(String directory) implements ToRank {}

  /** Hold a lifeline: from now on its death must be noticed at once. */
  @Tag(4)
  record HoldLifeline() implements ToRank {}

  /**
   * The identity of this process; the program and its arguments are the same for all.
   *
   * @param ownCore hardware threads of the core dedicated to the thread that calls {@code
   *     Fmi.init}; empty if there is none
   * @param localRank its number among the ranks of the node, from 0
   */
  @Tag(1)
  record Assign(RankConfig config, int[] ownCore, int localRank) implements ToRank {}

  /** A message of the job. */
  @Tag(2)
  record Forward(JobMessage message) implements ToRank {}

  /**
   * {@link JobMessage.Start}, with the addresses of all ranks in a file to be mapped, which the
   * ranks of the node share. The daemon's shell derives it from that message.
   */
  @Tag(6)
  record Begin(int epoch, boolean rollback, long local, String endpoints) implements ToRank {}

  /** Send the thread stacks of the program: answered by {@link FromRank.Stack}. */
  @Tag(5)
  record Stack() implements ToRank {}
}
