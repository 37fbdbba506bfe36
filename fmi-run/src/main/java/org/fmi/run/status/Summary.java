package org.fmi.run.status;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.fmi.control.Counter;
import org.fmi.control.RankReport;
import org.fmi.run.Amounts;
import org.fmi.run.status.JobView.Rank;

/** The summary of a job for a person, at its end. */
final class Summary {
  /** A job that took longer is worth a notice. */
  private static final double LONG_SECONDS = 60;

  private Summary() {}

  static List<String> of(JobView view, long nanos, boolean all) {
    double seconds = JobView.seconds(nanos - view.begunNanos);
    Totals totals = view.totals;
    if (!totals.ran) {
      // There is nothing to sum up, nor for a program that does not use the library.
      return all || seconds >= LONG_SECONDS
          ? List.of("took " + Amounts.duration(seconds))
          : List.of();
    }
    if (!all) {
      return totals.recoveries == 0 && totals.lost == 0 && seconds < LONG_SECONDS
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
    lines.add(
        "messages: "
            + (view.sentEarlier + sum(view, Counter.MESSAGES_SENT))
            + " ("
            + Amounts.bytes(view.bytesEarlier + sum(view, Counter.BYTES_SENT))
            + ")"
            + transports(view)
            + ", according to the last reports of the ranks");
    if (view.peakMemory > 0) {
      lines.add("peak memory: " + Amounts.bytes(view.peakMemory) + ", rank " + view.peakRank);
    }
    return lines;
  }

  private static String recoveries(Totals totals) {
    String lost = totals.lost == 0 ? "" : Amounts.count(totals.lost, "rank") + " lost, ";
    return totals.recoveries == 0
        ? lost + "no recovery"
        : lost
            + (totals.recoveries == 1 ? "1 recovery" : totals.recoveries + " recoveries")
            + " ("
            + Amounts.duration(totals.recoveryNanos / 1e9)
            + ")";
  }

  private static String checkpoints(Totals totals, long nanos) {
    double share = totals.checkpointShare(nanos);
    return Amounts.count(totals.checkpoints, "checkpoint")
        + (share < 0 ? "" : " (" + Amounts.rate(100 * share) + " % of the time)");
  }

  /** Returns the transports of the last epoch: "over shm (12 connections), tcp (4 connections)". */
  private static String transports(JobView view) {
    StringJoiner used = new StringJoiner(", ", ", over ", "");
    used.setEmptyValue("");
    add(used, "shm", sum(view, Counter.PEERS_SHM));
    add(used, "tcp", sum(view, Counter.PEERS_TCP));
    add(used, "rdma", sum(view, Counter.PEERS_RDMA));
    return used.toString();
  }

  private static void add(StringJoiner used, String transport, long connections) {
    if (connections > 0) {
      used.add(transport + " (" + Amounts.count(connections, "connection") + ")");
    }
  }

  private static long sum(JobView view, Counter counter) {
    long sum = 0;
    for (Rank rank : view.ranks) {
      RankReport report = rank.report;
      sum += report == null ? 0 : report.counter(counter);
    }
    return sum;
  }
}
