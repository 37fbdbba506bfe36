package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.fmi.sim.Quantity;
import org.fmi.sim.checkpoint.Advisor;
import org.fmi.sim.checkpoint.Candidate;
import org.fmi.sim.checkpoint.JobShape;
import org.fmi.sim.checkpoint.Machine;
import org.fmi.sim.checkpoint.SimulatedJobs;
import org.fmi.sim.failures.FailureMix;

/**
 * {@code fmi simulate interval}: recommends checkpoint settings, by a model of all choices and a
 * simulation of the best.
 */
final class IntervalCommand extends SimulationCommand {
  private static final int MOST_RANKS = 1_000_000;

  IntervalCommand(PrintStream out, PrintStream err) {
    super(out, err, "all choices that were compared");
  }

  @Override
  void addOptions() {
    spec.usageMessage()
        .description(
            "Recommends checkpoint groups, losses per group, and intervals in memory and in files,"
                + " and predicts the share of useful time. Compares all choices with a model, and"
                + " simulates the best one with random failures.");
    options.required("-n", Quantity.COUNT, 1, MOST_RANKS, "Ranks.");
    options.withDefault("--ppn", Quantity.COUNT, 1, 1024, "1", "Ranks per node.");
    options.required("--state", Quantity.BYTES, 1, 1e13, "Size of the state of each rank.");
    options.optional(
        "--mtbf", Quantity.TIME, 1, 1000 * YEAR, "Mean time between failures of the job.");
    options.optional(
        "--node-mtbf",
        Quantity.TIME,
        60,
        100_000 * YEAR,
        "Instead of --mtbf: mean time between failures of one node.");
    spec.addOption(failures);
    options.withDefault("--work", Quantity.TIME, 60, 10 * YEAR, "1d", "Useful time of the job.");
    options.withDefault(
        "--memory-rate", Quantity.RATE, 1e6, 1e14, "10GB/s", "Copy rate of a node.");
    options.withDefault(
        "--network-rate", Quantity.RATE, 1e5, 1e14, "1GB/s", "Send and receive rate of a node.");
    options.optional(
        "--files-rate",
        Quantity.RATE,
        1e5,
        1e15,
        "Rate at which all nodes together write to files. Without it: no checkpoints in files.");
    options.withDefault(
        "--files-cost",
        Quantity.SHARE,
        0,
        0.9,
        "5%",
        "Slowdown of the program while checkpoints are written to files.");
    options.withDefault(
        "--restart",
        Quantity.TIME,
        0.001,
        86400,
        "1s",
        "Time from a failure until ranks start to restore.");
    options.optional(
        "--memory",
        Quantity.BYTES,
        1,
        1e15,
        "Memory for checkpoints on a node. Default: no limit.");
    options.optional("--iteration", Quantity.TIME, 1e-6, 86400, "Time of one iteration.");
    options.optional("--group-size", Quantity.COUNT, 2, 1024, "Only groups of this size.");
    options.optional("--group-losses", Quantity.COUNT, 0, 3, "Only this many losses per group.");
    options.withDefault("--seeds", Quantity.COUNT, 1, 10_000, "20", "Number of simulated jobs.");
    options.withDefault("--seed", Quantity.COUNT, 0, 1e15, "1", "Seed of the first job.");
  }

  @Override
  void simulate() throws IOException {
    JobShape job =
        new JobShape(
            options.whole("-n"),
            options.whole("--ppn"),
            options.get("--state"),
            options.get("--work"));
    Machine machine =
        new Machine(
            options.get("--memory-rate"),
            options.get("--network-rate"),
            options.get("--files-rate", 0),
            options.get("--files-cost"),
            options.get("--restart"));
    FailureMix mix = mix(job.nodes());
    double memory = options.get("--memory", Double.POSITIVE_INFINITY);
    int size = (int) options.get("--group-size", 0);
    int losses = (int) options.get("--group-losses", -1);
    int seeds = options.whole("--seeds");
    long seed = (long) options.get("--seed");
    double iteration = options.get("--iteration", 0);
    List<Candidate> all = new Advisor(job, machine, mix, memory).candidates(size, losses);
    if (all.isEmpty()) {
      throw new IllegalArgumentException(
          ("no checkpoint groups are possible on %s nodes%s; fewer losses per group need fewer"
                  + " nodes and less memory")
              .formatted(
                  Quantity.COUNT.format(job.nodes()),
                  options.has("--memory")
                      ? " with " + Quantity.BYTES.format(memory) + " of memory each"
                      : ""));
    }
    Candidate best = Advisor.best(all);
    progress.expect(seeds);
    SimulatedJobs jobs =
        SimulatedJobs.run(best, mix, job.workSeconds(), seeds, seed, () -> progress.add(1));
    progress.erase();
    write(AdviceText.csv(all, best));
    AdviceText text = new AdviceText(job, mix, best, iteration);
    text.lines(all, jobs, seed).forEach(out::println);
  }

  private FailureMix mix(int nodes) {
    FailureMix mix = Mixes.of(failures);
    if (options.has("--mtbf") == options.has("--node-mtbf")) {
      throw new IllegalArgumentException(
          "give either --mtbf (of the job) or --node-mtbf (of one node), as in --mtbf 6h");
    }
    return options.has("--mtbf")
        ? mix.withJobMtbf(options.get("--mtbf"), nodes)
        : mix.withNodeMtbf(options.get("--node-mtbf"));
  }
}
