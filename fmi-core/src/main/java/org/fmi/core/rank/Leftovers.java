package org.fmi.core.rank;

import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.JobLink;
import org.fmi.control.Notice;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.Mailbox;
import org.fmi.core.p2p.UnexpectedMessage;

/** Warns the user of messages that were never received when the program's communication ends. */
final class Leftovers {
  private Leftovers() {}

  /** Warns once for all ranks; collective over all ranks, when all sent messages have arrived. */
  static void report(Comm system, Mailbox mailbox, JobLink link) {
    int own = count(mailbox);
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
              text(all[0], own, system.rank(), first(mailbox))));
    }
  }

  private static int count(Mailbox mailbox) {
    int[] count = {0};
    mailbox.forEach(m -> count[0] += Contexts.isProgram(m.context()) ? 1 : 0);
    return count[0];
  }

  private static String first(Mailbox mailbox) {
    UnexpectedMessage m = mailbox.first(each -> Contexts.isProgram(each.context()));
    return m == null ? "" : m.describe();
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
