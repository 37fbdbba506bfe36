package org.fmi.run.status;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.fmi.control.Counter;
import org.fmi.control.RankReport;
import org.fmi.run.Amounts;
import org.fmi.run.status.JobView.Rank;

/**
 * Predicts from reports of ranks whether their checkpoints will fit into the memory of their
 * machines. Reports once per loop and number of ranks on a machine.
 */
final class MemoryForecast {
  private static final int THE_ONLY = -1;

  private static final String HELPS =
      "; use fewer ranks per node (--ppn), a smaller state, more memory in /dev/shm, or a disk"
          + " (--node-dir)";

  private final boolean oneMachine;
  private final boolean toFiles;
  private final Map<Integer, Found> last = new HashMap<>();
  private final Set<Found> reported = new HashSet<>();

  /** The result for a machine, without momentary values. */
  private record Found(int machine, long loop, int ranks, long forecast, Fit fit) {}

  private enum Fit {
    ALL,
    /** Two generations fit, but not the one kept while files are written. */
    WITHOUT_FILES,
    /** The checkpoints fit, but not the message logs besides them. */
    WITHOUT_LOGS,
    NOT
  }

  /**
   * @param oneMachine whether all nodes are on one machine
   * @param toFiles whether checkpoints are written to files, one while the next is taken
   */
  MemoryForecast(boolean oneMachine, boolean toFiles) {
    this.oneMachine = oneMachine;
    this.toFiles = toFiles;
  }

  /**
   * Checks the machine of a node after reports of its ranks.
   *
   * @param all whether to report sufficient memory as well
   * @return notices for a person
   */
  List<String> look(List<Rank> ranks, int node, String name, boolean all) {
    long loop = -1;
    int here = 0;
    long forecast = 0;
    long taken = 0;
    long logs = 0;
    long free = Long.MAX_VALUE;
    for (Rank rank : ranks) {
      if (rank.node >= 0 && (oneMachine || rank.node == node)) {
        RankReport report = rank.report;
        if (report == null || report.counter(Counter.CHECKPOINT_FORECAST_BYTES) == 0) {
          return List.of();
        }
        loop = Math.max(loop, report.loop());
        here++;
        forecast += report.counter(Counter.CHECKPOINT_FORECAST_BYTES);
        taken += report.counter(Counter.CHECKPOINT_MEMORY_BYTES);
        logs +=
            Math.max(
                0, report.counter(Counter.LOG_LIMIT_BYTES) - report.counter(Counter.LOG_BYTES));
        free = Math.min(free, report.counter(Counter.NODE_MEMORY_FREE_BYTES));
      }
    }
    Fit fit = fit(forecast, logs, taken + free);
    Found found = new Found(oneMachine ? THE_ONLY : node, loop, here, forecast, fit);
    // Ranks are not read at one moment: memory taken by one may still be free for another. A result
    // that is found twice is true.
    if (!found.equals(last.put(found.machine, found))
        || !reported.add(found)
        || (fit == Fit.ALL && !all)) {
      return List.of();
    }
    return List.of(
        "checkpoints of %s on %s will take %s (%s so far), %s are free"
                .formatted(
                    Amounts.count(here, "rank"),
                    oneMachine ? "this machine" : name,
                    Amounts.bytes(forecast),
                    Amounts.bytes(taken),
                    Amounts.bytes(free))
            + switch (fit) {
              case ALL -> "";
              case WITHOUT_FILES ->
                  ": not enough to keep another checkpoint while files are written, so some will"
                      + " not be written"
                      + HELPS;
              case WITHOUT_LOGS ->
                  ": not enough besides message logs, which may take another "
                      + Amounts.bytes(logs)
                      + " (--log-limit)"
                      + HELPS;
              case NOT -> ": a checkpoint that does not fit will be skipped" + HELPS;
            });
  }

  private Fit fit(long forecast, long logs, long room) {
    if (forecast > room) {
      return Fit.NOT;
    }
    if (forecast + logs > room) {
      return Fit.WITHOUT_LOGS;
    }
    // Two alternating generations are forecast.
    return toFiles && forecast + forecast / 2 + logs > room ? Fit.WITHOUT_FILES : Fit.ALL;
  }
}
