package org.fmi.core.rank;

import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.core.p2p.Unreceived;

/** Notifies the user of messages that were never received when the program's communication ends. */
final class Leftovers {
  private Leftovers() {}

  /**
   * Notifies once for all ranks; collective over all of them, when all that was sent has arrived.
   */
  static void report(Comm system, Unreceived unreceived, JobLink link) {
    int own = unreceived.countOfProgram();
    long[] all = {own};
    system.allReduce(all, Op.SUM);
    if (all[0] == 0) {
      return;
    }
    int[] lowest = {own > 0 ? system.rank() : system.size()};
    system.allReduce(lowest, Op.MIN);
    if (lowest[0] == system.rank()) {
      link.report(
          new Notice.Warned(
              system.rank(),
              Notice.Warned.UNRECEIVED,
              text(all[0], own, system.rank(), String.valueOf(unreceived.first(tag -> true)))));
    }
  }

  static String text(long all, long own, int rank, String first) {
    String others =
        all == own
            ? ""
            : ", and " + (all - own) + (all - own == 1 ? " to another rank" : " to others");
    return (all == 1 ? "1 message was" : all + " messages were")
        + " never received: "
        + (all == 1 ? "" : own + " ")
        + "to rank "
        + rank
        + (own == 1 ? ", of " : ", the first of ")
        + first
        + others;
  }
}
