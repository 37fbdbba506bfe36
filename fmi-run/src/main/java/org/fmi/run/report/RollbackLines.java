package org.fmi.run.report;

import java.util.HashSet;
import java.util.Set;
import org.fmi.control.Notice;

/** Words who goes back after a failure, and what others send them again. */
final class RollbackLines {
  private static final long MIB = 1 << 20;

  private boolean local;
  private long messages;
  private long bytes;

  /** The furthest that those are who go on. */
  private long furthest;

  /** Loops in which a rank has outgrown its log. */
  private final Set<Long> outgrown = new HashSet<>();

  String begins(Notice.RollbackDecided n) {
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
    return n.flow()
        ? "all ranks leave their calls, as " + n.reason()
        : "global rollback: all ranks go back, as " + n.reason();
  }

  String goesOn(Notice.Continued n) {
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
        + " needs a checkpoint at iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + ", as the log of what it has sent takes "
        + n.bytes()
        + " of "
        + n.limit()
        + " bytes";
  }

  /** Whether no other rank has outgrown its log in this loop, as far as was told. */
  boolean isFirst(Notice.LogFull n) {
    return outgrown.add(n.loop());
  }

  static String full(Notice.LogFull n) {
    return "rank "
        + n.rank()
        + " has outgrown its log in iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + ": it has sent "
        + n.bytes()
        + " bytes since the checkpoint of iteration "
        + n.since()
        + ", and keeps at most "
        + n.limit()
        + "; until the next one it goes back after any failure, and all ranks do if no log is left."
        + (n.interval() == 0
            ? " Until a checkpoint that nobody waits for is committed"
            : " With a checkpoint every "
                + (n.interval() == 1 ? "iteration" : n.interval() + " iterations"))
        + " it needs some "
        + ((n.needed() + MIB - 1) / MIB)
        + " MiB: give that with --log-limit, or a shorter --interval";
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
