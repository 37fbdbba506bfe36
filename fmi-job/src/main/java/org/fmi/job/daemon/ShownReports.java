package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.fmi.control.RankReport;
import org.fmi.job.control.FromDaemon;

/**
 * Forwards reports of all ranks together: once each rank has reported, or once a rank reports again
 * before the others.
 */
final class ShownReports {
  private final Collection<NodeProcess> ranks;
  private final Consumer<FromDaemon> out;

  /**
   * @param ranks the current processes of all ranks of the node
   */
  ShownReports(Collection<NodeProcess> ranks, Consumer<FromDaemon> out) {
    this.ranks = ranks;
    this.out = out;
  }

  /** Takes a report of a rank's process. */
  void shown(NodeProcess process, RankReport report) {
    if (process.hasShown()) {
      pass();
    }
    process.shown(report);
    if (ranks.stream().allMatch(NodeProcess::hasShown)) {
      pass();
    }
  }

  private void pass() {
    List<FromDaemon.Report> reports = new ArrayList<>();
    for (NodeProcess process : ranks) {
      FromDaemon.Report report = process.takeShown();
      if (report != null) {
        reports.add(report);
      }
    }
    if (!reports.isEmpty()) {
      out.accept(new FromDaemon.Reports(reports));
    }
  }
}
