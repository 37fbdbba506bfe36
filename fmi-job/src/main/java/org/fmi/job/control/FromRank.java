package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;

/** A message from a rank's process to its daemon. */
@Wire
public sealed interface FromRank {
  /** A message that only a process with a rank sends. */
  sealed interface OfRank extends FromRank permits Relayed, Shown, Stack, Idle, ReadsInput {}

  /** The first message: the identity of the process. */
  @Tag(1)
  record Hello(long pid) implements FromRank {}

  /** The process holds its lifeline. */
  @Tag(4)
  record LifelineHeld() implements FromRank {}

  /** A message to the job. */
  @Tag(2)
  record Relayed(RankMessage message) implements OfRank {}

  /** Pinned images to be written to files. */
  @Tag(7)
  record Offered(Pinned pinned) implements FromRank {}

  /** A report of the rank's state. */
  @Tag(5)
  record Shown(RankReport report) implements OfRank {}

  /** The thread stacks of the program, for a person: lines, each with its line end. */
  @Tag(6)
  record Stack(String text) implements OfRank {}

  /** The last message: the process exits by itself, and closes its connection before. */
  @Tag(3)
  record Exiting() implements FromRank {}

  /**
   * The rank waits while other ranks recompute, or no longer does: its cores are not needed in
   * between.
   */
  @Tag(8)
  record Idle(boolean waits) implements OfRank {}

  /** The program reads standard input; sent once, by rank 0. */
  @Tag(9)
  record ReadsInput() implements OfRank {}
}
