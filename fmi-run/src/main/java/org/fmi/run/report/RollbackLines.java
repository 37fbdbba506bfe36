package org.fmi.run.report;

import org.fmi.control.RankMessage.Standing;
import org.fmi.job.Notice;

/** Words who goes back after a failure, and what others send them again. */
final class RollbackLines {
  private boolean local;
  private long messages;
  private long bytes;

  /** The furthest that those are who go on. */
  private long furthest;

  String begins(Notice.GoBack n) {
    local = !n.ranks().isEmpty();
    messages = 0;
    bytes = 0;
    furthest = -1;
    if (local) {
      return "local rollback: ranks "
          + n.ranks()
          + " go back, the others go on"
          + (n.reason().isEmpty() ? "" : "; " + n.reason());
    }
    return n.reason().endsWith(Standing.FLOWS)
        ? "all ranks leave their calls, as " + n.reason()
        : "global rollback: all ranks go back, as " + n.reason();
  }

  String goesOn(Notice.GoesOn n) {
    messages += n.messages();
    bytes += n.bytes();
    furthest = Math.max(furthest, n.iteration());
    return "rank "
        + n.rank()
        + " goes on in iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + ", and sends "
        + n.messages()
        + " messages again";
  }

  /** What has been sent again since, as the end of a line; empty if all have gone back. */
  String sentAgain() {
    if (!local) {
      return "";
    }
    local = false;
    return " to "
        + furthest
        + ", local; "
        + messages
        + " messages, "
        + bytes
        + " bytes, are sent again";
  }

  String flow(Notice.FlowBegun n) {
    return "flow rollback: ranks "
        + n.lost()
        + " come from iteration "
        + n.from()
        + " to "
        + n.to()
        + (n.helpers().equals("[]") ? "" : ", helped by ranks " + n.helpers())
        + "; "
        + n.computed()
        + " iterations are computed again, the others wait";
  }

  String noFlow(Notice.FlowImpossible n) {
    return "global rollback of loop " + n.loop() + ": all ranks go back, as " + n.reason();
  }

  String done(Notice.LoopDone n) {
    return "rank "
        + n.rank()
        + " has completed "
        + n.completed()
        + " iterations of loop "
        + n.loop()
        + ", and has done "
        + n.repeated()
        + " of them again";
  }

  static String fills(Notice.LogFills n) {
    return "rank "
        + n.rank()
        + " begins a checkpoint at iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + ", as the log of what it has sent takes "
        + n.bytes()
        + " of "
        + n.limit()
        + " bytes";
  }

  String caughtUp(Notice.CaughtUp n) {
    return "rank "
        + n.rank()
        + " has caught up in iteration "
        + n.iteration()
        + ", "
        + n.repeated()
        + " repeated from "
        + n.from()
        + " on";
  }
}
