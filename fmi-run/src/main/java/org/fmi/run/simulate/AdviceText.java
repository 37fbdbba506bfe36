package org.fmi.run.simulate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.fmi.sim.Quantity;
import org.fmi.sim.checkpoint.Candidate;
import org.fmi.sim.checkpoint.JobShape;
import org.fmi.sim.checkpoint.Level;
import org.fmi.sim.checkpoint.SimulatedJobs;
import org.fmi.sim.checkpoint.TwoLevels;
import org.fmi.sim.failures.FailureKind;
import org.fmi.sim.failures.FailureMix;

/** The advice on checkpoints, as text and as a table. */
final class AdviceText {
  private static final int SHOWN = 8;

  private final JobShape job;
  private final FailureMix mix;
  private final Candidate best;
  private final double iterationSeconds;

  /**
   * Words one recommendation.
   *
   * @param iterationSeconds time of an iteration; 0 if unknown
   */
  AdviceText(JobShape job, FailureMix mix, Candidate best, double iterationSeconds) {
    this.job = job;
    this.mix = mix;
    this.best = best;
    this.iterationSeconds = iterationSeconds;
  }

  /** Returns the whole text. */
  List<String> lines(List<Candidate> all, SimulatedJobs jobs, long seed) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "simulated: %s ranks on %s nodes, %s of state per rank, %s of useful time, one failure per %s"
            .formatted(
                Quantity.COUNT.format(job.ranks()),
                Quantity.COUNT.format(job.nodes()),
                Quantity.BYTES.format(job.stateBytes()),
                time(job.workSeconds()),
                time(1 / mix.rate(job.nodes()))));
    lines.addAll(failures());
    lines.add("");
    lines.addAll(advice());
    lines.add("");
    lines.add("simulated: %s of the time is useful by the model".formatted(share(best.useful())));
    lines.add(
        "simulated: %s in %d jobs with random failures (%s to %s, seeds from %d)"
            .formatted(
                share(jobs.useful().getAverage()),
                jobs.useful().getCount(),
                share(jobs.useful().getMin()),
                share(jobs.useful().getMax()),
                seed));
    lines.add(
        "    on average %s failures, %s of them back to %s"
            .formatted(
                number(jobs.failures()),
                number(jobs.fromFiles()),
                best.levels().files() == null ? "the beginning" : "files"));
    lines.add("");
    lines.addAll(choices(all));
    return lines;
  }

  private List<String> failures() {
    List<String> lines = new ArrayList<>();
    for (FailureKind kind : mix.kinds()) {
      lines.add(
          "  %-28s %-12s one per %-10s %s"
              .formatted(
                  kind.name(),
                  kind.nodes() == FailureKind.ALL
                      ? "all nodes"
                      : kind.nodes() == 1 ? "1 node" : kind.nodes() + " nodes",
                  time(1 / kind.rate(job.nodes())),
                  survival(best.grouping().losses() == 0 ? 0 : best.grouping().survived(kind))));
    }
    return lines;
  }

  private static String survival(double survived) {
    if (survived == 0) {
      return "groups do not survive it";
    }
    return survived == 1
        ? "groups survive it"
        : "groups survive " + share(survived) + " of them, depending on their place";
  }

  private List<String> advice() {
    TwoLevels levels = best.levels();
    List<String> lines = new ArrayList<>();
    lines.add(
        best.grouping().losses() == 0
            ? "--group-losses 0"
            : "--group-size %d --group-losses %d"
                .formatted(best.groupSize(), best.grouping().losses()));
    lines.add(
        "    checkpoints take %s on each node"
            .formatted(Quantity.BYTES.format(best.memoryBytes())));
    lines.add(inMemory(levels.memory(), levels.memoryInterval()));
    Level files = levels.files();
    if (files == null) {
      lines.add(
          Double.isInfinite(best.filesMtbf())
              ? "no checkpoints on files"
              : ("no checkpoints in files: without --files-rate, the job is lost every %s on"
                      + " average, and starts over")
                  .formatted(time(best.filesMtbf())));
    } else if (Double.isInfinite(levels.filesInterval())) {
      lines.add("no checkpoints in files: groups survive all failures");
    } else {
      lines.add("--l2-every auto --l2-mtbf %.0f".formatted(best.filesMtbf()));
      lines.add(
          "    one per %s is written to files in %s, at a cost of %s; rolling back to it takes %s"
              .formatted(
                  time(levels.filesInterval()),
                  time(files.latency()),
                  time(files.cost()),
                  time(files.restart())));
    }
    return lines;
  }

  private String inMemory(Level memory, double interval) {
    if (Double.isInfinite(interval)) {
      return "no checkpoints in memory: no failure could be survived with them";
    }
    String often =
        iterationSeconds > 0
            ? "--interval %d".formatted(Math.max(1, Math.round(interval / iterationSeconds)))
            : Double.isInfinite(memory.mtbf())
                ? "a checkpoint for each version in files"
                : "--mtbf %.0f".formatted(memory.mtbf());
    return "%s%n    one checkpoint per %s costs %s; rolling back to it takes %s"
        .formatted(often, time(interval), time(memory.cost()), time(memory.restart()));
  }

  private static List<String> choices(List<Candidate> all) {
    List<String> lines = new ArrayList<>();
    lines.add("simulated: the best choices by the model");
    lines.add(
        "  group size  losses  memory/node  interval    in files    lost beyond groups  useful");
    all.stream()
        .sorted(Comparator.comparingDouble(Candidate::useful).reversed())
        .limit(SHOWN)
        .forEach(
            c ->
                lines.add(
                    "  %10s  %6d  %11s  %-10s  %-10s  %-18s  %s"
                        .formatted(
                            c.grouping().losses() == 0 ? "-" : Integer.toString(c.groupSize()),
                            c.grouping().losses(),
                            Quantity.BYTES.format(c.memoryBytes()),
                            time(c.levels().memoryInterval()),
                            c.levels().files() == null ? "-" : time(c.levels().filesInterval()),
                            Double.isInfinite(c.filesMtbf())
                                ? "never"
                                : "per " + time(c.filesMtbf()),
                            share(c.useful()))));
    return lines;
  }

  /** Returns a row per choice. */
  static List<String> csv(List<Candidate> all, Candidate best) {
    List<String> rows = new ArrayList<>();
    rows.add(
        "simulated_group_size,losses,least_members,memory_bytes_per_node,memory_mtbf_s,"
            + "files_mtbf_s,memory_interval_s,memory_cost_s,memory_restart_s,files_interval_s,"
            + "files_latency_s,files_cost_s,files_restart_s,useful,advised");
    for (Candidate c : all) {
      TwoLevels levels = c.levels();
      Level files = levels.files();
      rows.add(
          String.join(
              ",",
              Integer.toString(c.groupSize()),
              Integer.toString(c.grouping().losses()),
              Integer.toString(c.grouping().leastMembers()),
              cell(c.memoryBytes()),
              cell(c.memoryMtbf()),
              cell(c.filesMtbf()),
              cell(levels.memoryInterval()),
              cell(levels.memory().cost()),
              cell(levels.memory().restart()),
              files == null ? "" : cell(levels.filesInterval()),
              files == null ? "" : cell(files.latency()),
              files == null ? "" : cell(files.cost()),
              files == null ? "" : cell(files.restart()),
              cell(c.useful()),
              c.equals(best) ? "1" : "0"));
    }
    return rows;
  }

  /** Returns an empty cell for events that never happen. */
  private static String cell(double value) {
    return Double.isInfinite(value) ? "" : String.format(Locale.ROOT, "%.6g", value);
  }

  private static String time(double seconds) {
    return Double.isInfinite(seconds) ? "never" : Quantity.TIME.format(seconds);
  }

  private static String share(double share) {
    return String.format(Locale.ROOT, "%.2f %%", 100 * share);
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, number < 10 ? "%.1f" : "%,.0f", number);
  }
}
