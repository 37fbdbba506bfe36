package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.JobMessage;
import org.fmi.spi.RankConfig;

/** What a daemon tells a rank's process. */
@Wire
public sealed interface ToRank {
  /**
   * Get ready for an assignment that may come later: load what a rank needs.
   *
   * @param directory to be made for that; whatever is in it when this process ends will be deleted
   */
  @Tag(3)
  record WarmUp(String directory) implements ToRank {}

  /** Hold a lifeline: from now on its death is to be known at once. */
  @Tag(4)
  record HoldLifeline() implements ToRank {}

  /**
   * Who this process is; the program and its arguments are the same for all.
   *
   * @param ownCore numbers of the hardware threads of the core that the thread which calls {@code
   *     Fmi.init} has to itself; empty if it has none
   * @param localRank its number among the ranks of the node, from 0
   */
  @Tag(1)
  record Assign(RankConfig config, int[] ownCore, int localRank) implements ToRank {}

  /** A message of the job. */
  @Tag(2)
  record Tell(JobMessage message) implements ToRank {}

  /**
   * {@link JobMessage.Start}, with the addresses of all ranks in a file to be mapped, which the
   * ranks of the node share. The daemon's shell makes it of that message.
   */
  @Tag(6)
  record Begin(int epoch, boolean rollback, long local, String endpoints) implements ToRank {}

  /** Show what the program's threads do: answered by {@link FromRank.Stack}. */
  @Tag(5)
  record Stack() implements ToRank {}
}
