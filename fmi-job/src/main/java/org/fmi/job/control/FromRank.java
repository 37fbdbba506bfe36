package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;

/** What a rank's process tells its daemon. */
@Wire
public sealed interface FromRank {
  /** Is said only by a process that has been told which rank it is. */
  sealed interface OfRank extends FromRank permits Said, Shown, Stack, Idle, ReadsInput {}

  /** The first message: which process it is. */
  @Tag(1)
  record Hello(long pid) implements FromRank {}

  /** The process holds its lifeline. */
  @Tag(4)
  record LifelineHeld() implements FromRank {}

  /** A message to the job. */
  @Tag(2)
  record Said(RankMessage message) implements OfRank {}

  /** What it keeps, to be written to files. */
  @Tag(7)
  record Offered(Pinned pinned) implements FromRank {}

  /** What it shows of itself. */
  @Tag(5)
  record Shown(RankReport report) implements OfRank {}

  /** What the program's threads do, for a person: lines, each with its end. */
  @Tag(6)
  record Stack(String text) implements OfRank {}

  /** The last message: it exits by itself, and closes its connection before. */
  @Tag(3)
  record Exiting() implements FromRank {}

  /**
   * It waits while others compute again, or does so no longer: its cores are not needed meanwhile.
   */
  @Tag(8)
  record Idle(boolean waits) implements OfRank {}

  /** The program reads standard input; said once, by rank 0. */
  @Tag(9)
  record ReadsInput() implements OfRank {}
}
