package org.fmi.run.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.JobSpec;
import org.fmi.run.Amounts;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.spi.OnFailure;

/**
 * Turns events into notices for the user: one per stage of a recovery, with the time since fmirun
 * learned of the failure.
 */
public final class ProgressLines {
  private static final int MOST_TRACES = 100;

  private final Verbosity verbosity;
  private final JobSpec spec;
  private final List<JobSpec.Node> nodes;
  private final Consumer<String> lines;

  /** Replacements on one node, which one notice reports. */
  private final List<Integer> placed = new ArrayList<>();

  private String placedWhere = "";

  private final RollbackLines rollback = new RollbackLines();

  /** Stack traces already printed. */
  private final Set<String> shown = new HashSet<>();

  /** Subjects of warnings already printed. */
  private final Set<String> warnedOf = new HashSet<>();

  private boolean recovering;

  /** Whether the job is ending, so that notices no longer mention its continuation. */
  private boolean ends;

  private long begunNanos;

  /** Ranks notified over the overlay of the failures of the current recovery. */
  private final BitSet notified = new BitSet();

  /** Checkpoints skipped since the last one taken. */
  private long skipped;

  private int mostHops;
  private long notifiedNanos;

  /**
   * @param lines takes each notice
   */
  public ProgressLines(Verbosity verbosity, JobSpec spec, Consumer<String> lines) {
    this.verbosity = verbosity;
    this.spec = spec;
    this.nodes = new ArrayList<>(spec.nodes());
    this.lines = lines;
  }

  /**
   * Reports an event.
   *
   * @param nanos its time, from the monotonic clock
   */
  public void on(Notice notice, long nanos) {
    switch (notice) {
      // Not a lost node: it may be an unused spare.
      case Notice.RankFailed _, Notice.RecoveryBegun _ -> begins(nanos);
      default -> {}
    }
    if (notice instanceof Notice.Thrown n) {
      // It is output of the program.
      lines.accept(thrown(n));
    }
    if (verbosity == Verbosity.QUIET) {
      return;
    }
    if (!(notice instanceof Notice.Respawned)) {
      reportPlaced(nanos);
    }
    switch (notice) {
      case Notice.NodeAdded n -> {
        nodes.add(new JobSpec.Node(n.name(), n.slots(), true));
        line(
            nodeName(n.node())
                + " added, with "
                + n.slots()
                + (n.slots() == 1 ? " slot" : " slots"));
      }
      case Notice.NodeReady n -> detail("node" + n.node() + " is ready (" + n.name() + ")");
      case Notice.Submitted n -> detail("job " + n.job() + ": " + n.program());
      case Notice.Started n -> {
        detail(
            "starting "
                + Amounts.count(n.ranks(), "rank")
                + " on "
                + Amounts.count(n.nodes(), "node")
                + ", "
                + n.spares()
                + " spare");
        // With one node there is none to lose.
        if (n.nodes() > 1 && !shrinks() && n.groupLosses() < spec.grouping().losses()) {
          line(
              "checkpoint groups survive "
                  + (n.groupLosses() == 0
                      ? "no node loss"
                      : Amounts.count(n.groupLosses(), "node loss", "node losses") + " at once")
                  + " instead of "
                  + spec.grouping().losses()
                  + " (--group-losses): place the ranks on more nodes");
        }
      }
      case Notice.RankFailed n ->
          line("rank " + n.rank() + " lost (seen by " + n.by() + "): " + n.reason());
      case Notice.Thrown _ -> {
        // see above
      }
      case Notice.NodeSilent n ->
          line(
              nodeName(n.node())
                  + " is silent: its ranks have stopped"
                  + (shrinks() ? "" : ", and it may return with their checkpoints")
                  + (n.alone() ? "" : "; all wait, because most nodes are silent"));
      case Notice.NodeHeard n -> line(nodeName(n.node()) + " is heard again");
      case Notice.NodeFailed n ->
          line(nodeName(n.node()) + " lost (seen by " + n.by() + "): " + n.reason());
      case Notice.CauseKnown n -> line("rank " + n.rank() + " lost because it " + n.reason());
      case Notice.FalsePositive n ->
          line("rank " + n.rank() + " is not lost, as " + n.by() + " reported: " + n.reason());
      case Notice.Died n ->
          line(
              n.living() == 0
                  ? "rank " + n.rank() + " was the last one"
                  : "the job continues without rank "
                      + n.rank()
                      + ": "
                      + Amounts.count(n.living(), "rank")
                      + " left");
      case Notice.Left n ->
          detail(
              "epoch "
                  + n.epoch()
                  + ": rank "
                  + n.rank()
                  + " leaves iteration "
                  + n.iteration()
                  + " of loop "
                  + n.loop());
      case Notice.Notified n -> {
        notified.set(n.rank());
        mostHops = Math.max(mostHops, n.hops());
        notifiedNanos = nanos;
        detail(
            "epoch "
                + n.epoch()
                + ": rank "
                + n.rank()
                + " learned that rank "
                + n.failed()
                + " failed, over "
                + Amounts.count(n.hops(), "hop"));
      }
      case Notice.RecoveryBegun n -> {
        if (n.restartAll()) {
          stage(n.epoch(), "all processes restart: " + n.reason(), nanos);
        } else {
          detail("epoch " + n.epoch() + " begins: " + n.reason());
        }
      }
      case Notice.Spawned n -> detail("rank " + n.rank() + " starts on " + nodeName(n.node()));
      case Notice.Respawned n -> {
        String where =
            "epoch "
                + n.epoch()
                + ": new process on "
                + nodeName(n.node())
                + (nodes.get(n.node()).spare() ? " (spare)" : "");
        if (!where.equals(placedWhere)) {
          reportPlaced(nanos);
          placedWhere = where;
        }
        placed.add(n.rank());
      }
      case Notice.Joined n -> detail("epoch " + n.epoch() + ": rank " + n.rank() + " joined");
      case Notice.AllJoined n -> {
        int ranks = notified.cardinality();
        if (recovering && ranks > 0) {
          stage(
              n.epoch(),
              Amounts.count(ranks, "rank")
                  + " notified over the overlay, within "
                  + Amounts.count(mostHops, "hop"),
              notifiedNanos);
        }
        stage(n.epoch(), "all ranks joined (H1)", nanos);
      }
      case Notice.RollbackDecided n -> stage(n.epoch(), rollback.begins(n), nanos);
      case Notice.Continued n -> detail("epoch " + n.epoch() + ": " + rollback.goesOn(n));
      case Notice.LogFills n -> detail(RollbackLines.fills(n));
      case Notice.LogFull n -> {
        if (rollback.isFirst(n)) {
          line(RollbackLines.full(n));
        } else {
          detail(RollbackLines.full(n));
        }
      }
      case Notice.CaughtUp n -> line("epoch " + n.epoch() + ": " + rollback.caughtUp(n));
      case Notice.FlowBegun n -> stage(n.epoch(), rollback.flow(n), nanos);
      case Notice.FlowImpossible n -> stage(n.epoch(), rollback.noFlow(n), nanos);
      case Notice.LoopDone n -> {
        if (n.repeated() > 0) {
          detail(rollback.done(n));
        }
      }
      case Notice.AllConnected n ->
          stage(n.epoch(), "all ranks connected over " + n.overlay() + " (H2)", nanos);
      case Notice.AllRunning n -> {
        stage(
            n.epoch(),
            "running (H3) "
                + (n.iteration() < 0 ? "from the start" : "from iteration " + n.iteration())
                + rollback.resent()
                + rebuilt(n.rebuilt()),
            nanos);
      }
      case Notice.CheckpointSkipped n -> {
        skipped = n.inARow();
        if (skipped == 1) {
          line(skipped(n));
        } else {
          detail(skipped(n));
        }
      }
      case Notice.CheckpointCommitted n -> {
        if (skipped > 0) {
          line(
              "a checkpoint was taken again, at iteration "
                  + n.iteration()
                  + " of loop "
                  + n.loop()
                  + ", after "
                  + skipped
                  + (skipped == 1 ? " was skipped" : " were skipped"));
          skipped = 0;
        }
        detail(
            "checkpoint "
                + n.version()
                + " at iteration "
                + n.iteration()
                + ", "
                + Amounts.bytes(n.bytes())
                + " per rank, "
                + Amounts.bytes(n.codedBytes())
                + " encoded: copy "
                + millis(n.copyNanos())
                + ", encode "
                + millis(n.encodeNanos())
                + ", commit "
                + millis(n.commitNanos()));
      }
      case Notice.Level2Restored n -> restored(n, nanos);
      case Notice.Level2Begun n ->
          detail("checkpoint " + n.version() + " is being written to files");
      case Notice.Level2Flushed n ->
          detail(
              nodeName(n.node())
                  + " wrote its part of checkpoint "
                  + n.version()
                  + " to files, "
                  + Amounts.bytes(n.bytes()));
      case Notice.Level2Committed n ->
          detail(
              "checkpoint "
                  + n.version()
                  + " at iteration "
                  + n.iteration()
                  + " is complete in files, "
                  + Amounts.bytes(n.bytes()));
      case Notice.Level2Failed n ->
          line(
              "the checkpoint of iteration "
                  + n.iteration()
                  + " could not be written to files: "
                  + n.reason()
                  + (ends ? "" : "; the job continues")
                  + (ends || n.leftOut() == 0 ? "" : " and skips the next " + n.leftOut()));
      case Notice.CheckpointRequested _ -> detail("a checkpoint was requested");
      case Notice.Level2Awaited n -> {
        ends = true;
        line(
            "the job waits for the checkpoint of iteration "
                + n.iteration()
                + " to be written to files before it ends, for at most "
                + BigDecimal.valueOf(n.atMostMillis(), 3).stripTrailingZeros().toPlainString()
                + " s (--l2-stall)");
      }
      case Notice.Degraded n -> line(n.what());
      case Notice.Warned n -> {
        if (warnedOf.add(n.about())) {
          line(n.what());
        } else {
          detail(n.what());
        }
      }
      case Notice.KillMissed n -> line("--kill " + n.kill() + " never happened: " + n.reason());
      case Notice.Shrunk n ->
          line(
              "no node is left for "
                  + Amounts.count(n.lost(), "rank")
                  + ": the program continues with "
                  + Amounts.count(n.ranks(), "rank")
                  + " on "
                  + Amounts.count(n.nodes(), "node")
                  + ", "
                  + (n.loop() < 0
                      ? "from its start, as there is no checkpoint yet"
                      : "from iteration "
                          + n.iteration()
                          + (n.loop() > 0 ? " of loop " + n.loop() : "")
                          + " ("
                          + n.from()
                          + ")"));
      case Notice.Finished n ->
          detail(
              "ends with status "
                  + n.status()
                  + " after "
                  + Amounts.count(n.recoveries(), "recovery", "recoveries"));
    }
    if (notice instanceof Notice.AllRunning || notice instanceof Notice.Died) {
      recovering = false;
      notified.clear();
      mostHops = 0;
    }
  }

  private boolean shrinks() {
    return spec.recovery().policy().onFailure() == OnFailure.SHRINK;
  }

  private static String rebuilt(int checkpoints) {
    return checkpoints == 0
        ? ""
        : "; rebuilt " + Amounts.count(checkpoints, "checkpoint") + " from parity";
  }

  private void restored(Notice.Level2Restored n, long nanos) {
    String where = "iteration " + n.iteration() + " of loop " + n.loop();
    if (n.epoch() == 0) {
      line("starts from " + n.generation() + ", at " + where);
      return;
    }
    line(
        "epoch "
            + n.epoch()
            + ": rolls back to "
            + n.generation()
            + " in files, read by "
            + (n.ranks().isEmpty() ? "all ranks" : RollbackLines.ranks(n.ranks()))
            + ", at "
            + where
            + (n.repeated() < 0 ? "" : "; recomputes " + Amounts.count(n.repeated(), "iteration"))
            + since(nanos));
  }

  /** Returns a stack trace, in full unless it was already printed: ranks often fail alike. */
  private String thrown(Notice.Thrown n) {
    RankMessage.Failed failed = new RankMessage.Failed(n.loop(), n.iteration(), n.trace());
    String begin = "fmi: rank " + n.rank() + " threw an exception ";
    if (!shown.contains(n.trace())) {
      if (shown.size() < MOST_TRACES) {
        shown.add(n.trace());
      }
      return begin + failed.where() + ":\n" + n.trace();
    }
    return begin + failed.where() + ", as shown above: " + failed.exception();
  }

  /** Prints notices that were held back to be merged. */
  public void flush(long nanos) {
    reportPlaced(nanos);
  }

  private void begins(long nanos) {
    if (!recovering) {
      recovering = true;
      begunNanos = nanos;
    }
  }

  private void reportPlaced(long nanos) {
    if (!placed.isEmpty()) {
      StringBuilder ranks = new StringBuilder(placed.size() == 1 ? " for rank " : " for ranks ");
      for (int i = 0; i < placed.size(); i++) {
        ranks.append(i == 0 ? "" : ", ").append(placed.get(i));
      }
      placed.clear();
      line(placedWhere + ranks + since(nanos));
      placedWhere = "";
    }
  }

  /** Reports a stage: of a recovery always, of the start of the job only in detail. */
  private void stage(int epoch, String what, long nanos) {
    String text = "epoch " + epoch + ": " + what;
    if (recovering) {
      line(text + since(nanos));
    } else {
      detail(text);
    }
  }

  private String since(long nanos) {
    return recovering ? ", " + millis(nanos - begunNanos) : "";
  }

  private String skipped(Notice.CheckpointSkipped n) {
    return "the checkpoint of iteration "
        + n.iteration()
        + " of loop "
        + n.loop()
        + " is skipped, because rank "
        + n.rank()
        + " has no room for it on "
        + nodeName(n.node())
        + ": "
        + n.reason()
        + (n.lastLoop() < 0
            ? "; there is none yet, so that a failure starts the program again"
            : "; that of iteration " + n.lastIteration() + " of loop " + n.lastLoop() + " stays")
        + "; the job continues, and tries the next one";
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f ms", nanos / (double) TimeUnit.MILLISECONDS.toNanos(1));
  }

  private String nodeName(int node) {
    String name = nodes.get(node).name();
    return name.equals("node" + node) ? name : "node" + node + " (" + name + ")";
  }

  private void detail(String text) {
    if (verbosity == Verbosity.VERBOSE) {
      line(text);
    }
  }

  private void line(String text) {
    lines.accept("fmi: " + text);
  }
}
