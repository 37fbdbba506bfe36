package org.fmi.job.control;

import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;

/** What a rank's process tells its daemon. */
public sealed interface FromRank {
  /** Is said only by a process that has been told which rank it is. */
  sealed interface OfRank extends FromRank permits Said, Shown, Stack, Idle, ReadsInput {}

  /** The first message: which process it is. */
  record Hello(long pid) implements FromRank {}

  /** The process holds its lifeline. */
  record LifelineHeld() implements FromRank {}

  /** A message to the job. */
  record Said(RankMessage message) implements OfRank {}

  /** What it keeps, to be written to files. */
  record Offered(Pinned pinned) implements FromRank {}

  /** What it shows of itself. */
  record Shown(RankReport report) implements OfRank {}

  /** What the program's threads do, for a person: lines, each with its end. */
  record Stack(String text) implements OfRank {}

  /** The last message: it exits by itself, and closes its connection before. */
  record Exiting() implements FromRank {}

  /**
   * It waits while others compute again, or does so no longer: its cores are not needed meanwhile.
   */
  record Idle(boolean waits) implements OfRank {}

  /** The program reads standard input; said once, by rank 0. */
  record ReadsInput() implements OfRank {}
}
