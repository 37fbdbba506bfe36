package org.fmi.run.report;

import java.util.HashSet;
import java.util.Set;
import org.fmi.control.Notice;
import org.fmi.run.Amounts;

/** The notices about ranks that roll back after a failure, and about messages resent to them. */
final class RollbackLines {
  private static final long MIB = 1 << 20;

  private boolean local;
  private long messages;
  private long bytes;

  /** The furthest iteration of a rank that continues. */
  private long furthest;

  /** Loops in which a rank has filled its log. */
  private final Set<Long> outgrown = new HashSet<>();

  String begins(Notice.RollbackDecided n) {
    local = !n.ranks().isEmpty();
    messages = 0;
    bytes = 0;
    furthest = -1;
    if (local) {
      return "local rollback: "
          + ranks(n.ranks())
          + (isOne(n.ranks()) ? " rolls back" : " roll back")
          + ", the other ranks continue"
          + (n.reason().isEmpty() ? "" : "; " + n.reason());
    }
    return n.flow()
        ? "all ranks leave their calls because " + n.reason()
        : "global rollback: all ranks roll back because " + n.reason();
  }

  String goesOn(Notice.Continued n) {
    messages += n.messages();
    bytes += n.bytes();
    furthest = Math.max(furthest, n.iteration());
    return "rank "
        + n.rank()
        + " continues in iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + "; it resends "
        + Amounts.count(n.messages(), "message");
  }

  /** Returns the messages resent since the rollback, as the end of a notice; empty if none. */
  String resent() {
    if (!local) {
      return "";
    }
    local = false;
    return " (other ranks: up to "
        + furthest
        + "); resent "
        + Amounts.count(messages, "message")
        + " ("
        + Amounts.bytes(bytes)
        + ")";
  }

  /** Names the ranks of a list such as "[1, 4]". */
  static String ranks(String list) {
    return (isOne(list) ? "rank " : "ranks ") + list.substring(1, list.length() - 1);
  }

  private static boolean isOne(String list) {
    return list.indexOf(',') < 0;
  }

  String flow(Notice.FlowBegun n) {
    return "flow rollback: "
        + ranks(n.lost())
        + (isOne(n.lost()) ? " recomputes" : " recompute")
        + " from iteration "
        + n.from()
        + " to "
        + n.to()
        + (n.helpers().equals("[]") ? "" : ", helped by " + ranks(n.helpers()))
        + "; "
        + Amounts.count(n.computed(), "iteration")
        + " in all, the other ranks wait";
  }

  String noFlow(Notice.FlowImpossible n) {
    return "global rollback of loop " + n.loop() + ": all ranks roll back because " + n.reason();
  }

  String done(Notice.LoopDone n) {
    return "rank "
        + n.rank()
        + " completed "
        + Amounts.count(n.completed(), "iteration")
        + " of loop "
        + n.loop()
        + " and repeated "
        + n.repeated()
        + " of them";
  }

  static String fills(Notice.LogFills n) {
    return "rank "
        + n.rank()
        + " needs a checkpoint at iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + " because its message log takes "
        + Amounts.bytes(n.bytes())
        + " of "
        + Amounts.bytes(n.limit());
  }

  /** Whether no other rank has reported a full log in this loop. */
  boolean isFirst(Notice.LogFull n) {
    return outgrown.add(n.loop());
  }

  static String full(Notice.LogFull n) {
    return "rank "
        + n.rank()
        + " has filled its message log in iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + ": it has sent "
        + Amounts.bytes(n.bytes())
        + " since the checkpoint of iteration "
        + n.since()
        + ", and the log holds at most "
        + Amounts.bytes(n.limit())
        + ". Until the next checkpoint it rolls back after any failure; if no rank has a log left,"
        + " all ranks roll back."
        + (n.interval() == 0
            ? " Until an asynchronous checkpoint is committed,"
            : " With a checkpoint every "
                + (n.interval() == 1 ? "iteration," : n.interval() + " iterations,"))
        + " the log needs about "
        + ((n.needed() + MIB - 1) / MIB)
        + " MiB: raise --log-limit or shorten --interval";
  }

  String caughtUp(Notice.CaughtUp n) {
    return "rank "
        + n.rank()
        + " caught up in iteration "
        + n.iteration()
        + " after repeating "
        + Amounts.count(n.repeated(), "iteration")
        + " from "
        + n.from();
  }
}
