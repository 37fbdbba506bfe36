package org.fmi.run.status;

import java.util.ArrayList;
import java.util.List;
import org.fmi.control.Counter;
import org.fmi.control.RankReport;
import org.fmi.run.status.JobView.Rank;

/** Sums up a job for a person, at its end. */
final class Summary {
  /** A job that took longer is worth a line. */
  private static final double LONG_SECONDS = 60;

  private Summary() {}

  static List<String> of(JobView view, long nanos, boolean all) {
    double seconds = JobView.seconds(nanos - view.begunNanos);
    Totals totals = view.totals;
    if (!all) {
      return totals.recoveries == 0 && seconds < LONG_SECONDS
          ? List.of()
          : List.of(
              "took "
                  + Amounts.duration(seconds)
                  + ": "
                  + recoveries(totals)
                  + ", "
                  + checkpoints(totals, nanos));
    }
    List<String> lines = new ArrayList<>();
    lines.add("took " + Amounts.duration(seconds));
    lines.add("recoveries: " + recoveries(totals));
    lines.add(
        "checkpoints: "
            + checkpoints(totals, nanos)
            + (totals.last == null ? "" : ", " + Amounts.bytes(totals.last.bytes()) + " per rank")
            + (totals.checkpointInterval < 0
                ? ""
                : ", the last one after " + Amounts.count(totals.checkpointInterval, "iteration")));
    lines.add("messages: " + sent(view) + ", as far as ranks have shown");
    if (view.peakMemory > 0) {
      lines.add("peak memory: " + Amounts.bytes(view.peakMemory) + ", rank " + view.peakRank);
    }
    return lines;
  }

  private static String recoveries(Totals totals) {
    return totals.recoveries == 0
        ? "no recovery"
        : (totals.recoveries == 1 ? "1 recovery" : totals.recoveries + " recoveries")
            + " ("
            + Amounts.duration(totals.recoveryNanos / 1e9)
            + ")";
  }

  private static String checkpoints(Totals totals, long nanos) {
    double share = totals.checkpointShare(nanos);
    return Amounts.count(totals.checkpoints, "checkpoint")
        + (share < 0 ? "" : " (" + Amounts.rate(100 * share) + " % of the time)");
  }

  private static long sent(JobView view) {
    long sent = view.sentEarlier;
    for (Rank rank : view.ranks) {
      RankReport report = rank.report;
      sent += report == null ? 0 : report.counter(Counter.MESSAGES_SENT);
    }
    return sent;
  }
}
