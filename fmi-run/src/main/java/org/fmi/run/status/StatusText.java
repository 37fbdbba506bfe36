package org.fmi.run.status;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Counter;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.run.Amounts;
import org.fmi.run.status.JobView.Node;
import org.fmi.run.status.JobView.Rank;

/** The state of a job for a person, in lines that fit into 80 columns if possible. */
final class StatusText {
  private static final int WIDTH = 80;
  private static final int SHORT_COMMAND = 24;

  private StatusText() {}

  /** Returns the program and its progress on one line. */
  static String line(JobView view, long nanos) {
    return String.join(
        "  ",
        cut(withoutPackage(view.command), SHORT_COMMAND),
        Amounts.count(view.ranks.size(), "rank"),
        view.progress(nanos).text());
  }

  /** Returns lines for the job, its nodes and its ranks. */
  static String table(JobView view, long nanos) {
    StringBuilder text = new StringBuilder();
    Progress progress = view.progress(nanos);
    text.append("job ")
        .append(view.jobId)
        .append(", for ")
        .append(Amounts.duration(JobView.seconds(nanos - view.begunNanos)))
        .append(": ")
        .append(cut(view.command, WIDTH - 32))
        .append('\n')
        .append(progress.text())
        .append('\n');
    if (progress.recoveries() > 0) {
      text.append(progress.recoveries())
          .append(progress.recoveries() == 1 ? " recovery" : " recoveries")
          .append(", ")
          .append(Amounts.duration(JobView.seconds(view.totals.recoveryNanos)))
          .append(" in all\n");
    }
    Notice.CheckpointCommitted last = view.totals.last;
    text.append(
        last == null
            ? "no checkpoint yet\n"
            : "last checkpoint: iteration "
                + last.iteration()
                + ", "
                + Amounts.duration(JobView.seconds(nanos - view.totals.lastNanos))
                + " ago, "
                + Amounts.bytes(last.bytes())
                + " per rank\n");
    text.append('\n').append(nodes(view, nanos));
    text.append('\n').append(ranks(view, nanos));
    return text.toString();
  }

  private static String nodes(JobView view, long nanos) {
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"node", "state", "ranks", "daemon", "heard"});
    for (int n = 0; n < view.nodes.size(); n++) {
      int number = n;
      Node node = view.nodes.get(n);
      long load = view.ranks.stream().filter(rank -> rank.node == number).count();
      rows.add(
          new String[] {
            node.name,
            state(node, load),
            Long.toString(load),
            node.pid == 0 ? "-" : "pid " + node.pid,
            // Without ranks it sends no reports; its heartbeat shows whether it lives.
            node.up && load > 0 ? age(nanos - node.heardNanos) : "-"
          });
    }
    return columns(rows, true, true, false, true, true);
  }

  private static String state(Node node, long load) {
    if (!node.up) {
      return "down";
    } else if (node.silent) {
      return "silent";
    } else {
      return load == 0 && node.spare ? "spare" : "up";
    }
  }

  private static String ranks(JobView view, long nanos) {
    List<String[]> rows = new ArrayList<>();
    rows.add(
        new String[] {
          "rank", "node", "pid", "epoch", "iteration", "rate/s", "memory", "heard", "does"
        });
    for (int r = 0; r < view.ranks.size(); r++) {
      Rank rank = view.ranks.get(r);
      RankReport report = rank.report;
      String node = rank.node < 0 ? "-" : view.nodes.get(rank.node).name;
      if (report == null) {
        rows.add(new String[] {"" + r, node, "-", "-", "-", "-", "-", "-", "is starting"});
        continue;
      }
      double rate = rank.rate.perSecond(nanos);
      long memory = report.counter(Counter.MEMORY_BYTES);
      rows.add(
          new String[] {
            Integer.toString(r),
            node,
            Long.toString(rank.pid),
            Integer.toString(report.epoch()),
            report.iteration() < 0 ? "-" : Long.toString(report.iteration()),
            rate < 0 ? "-" : Amounts.rate(rate),
            memory == 0 ? "-" : Amounts.bytes(memory),
            age(nanos - rank.reportedNanos),
            does(report)
          });
    }
    return columns(rows, false, true, false, false, false, false, false, false, true);
  }

  private static String age(long nanos) {
    // Reports arrive each second: tenths would be meaningless.
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return seconds < 2 ? "now" : Amounts.duration((double) seconds);
  }

  private static String does(RankReport report) {
    RankReport.Waiting waiting = report.waiting();
    if (waiting == null) {
      return switch (report.place()) {
        case "start" -> "joins";
        case "replay" -> "repeats its code before the loop";
        case "closed" -> "has ended";
        default -> "computes";
      };
    }
    return waiting.operation()
        + (waiting.peer() == RankReport.Waiting.ANY ? "" : " waits for " + waiting.peer())
        + (waiting.tag() == RankReport.Waiting.ANY ? "" : ", tag " + waiting.tag())
        + (waiting.communicator().startsWith("#") ? ", communicator " + waiting.communicator() : "")
        + (waiting.nanos() == 0 ? "" : ", " + Amounts.duration(JobView.seconds(waiting.nanos())));
  }

  /**
   * Aligns columns: numbers to the right, names to the left.
   *
   * @param isName for each column
   */
  static String columns(List<String[]> rows, boolean... isName) {
    int last = rows.getFirst().length - 1;
    int[] width = new int[last + 1];
    for (String[] row : rows) {
      for (int c = 0; c <= last; c++) {
        width[c] = Math.max(width[c], row[c].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      for (int c = 0; c < last; c++) {
        String pad = " ".repeat(width[c] - row[c].length());
        text.append(isName[c] ? row[c] + pad : pad + row[c]).append("  ");
      }
      text.append(row[last]).append('\n');
    }
    return text.toString();
  }

  /** A command begins with the name of a jar or of a class. */
  private static String withoutPackage(String command) {
    return command.replaceFirst("^(?![^ ]*\\.jar( |$))[^ ]*\\.", "");
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most - 3) + "...";
  }
}
