package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.fmi.run.options.Nearest;
import org.fmi.sim.Quantity;
import org.fmi.sim.failures.FailureMix;
import org.fmi.sim.failures.Grouping;
import org.fmi.sim.rollback.RollbackMean;
import org.fmi.sim.rollback.Stencil;
import org.fmi.sim.rollback.Strategy;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code fmi simulate rollback}: the ranks that recompute after failures, by strategy and number of
 * hosts.
 */
final class RollbackCommand extends SimulationCommand {
  private static final int LEAST_HOSTS = 2;
  private static final int MOST_HOSTS = 100_000;
  private static final int GROUP_SIZE = 16;
  private static final List<String> SHAPES = List.of("line", "grid");
  private static final List<String> SYNCS = List.of("checkpoint", "none");

  private final OptionSpec hosts =
      text(
          "--hosts",
          "LIST",
          "100,400,1000",
          "Numbers of hosts to compare; 100..1000 means 100, 200 and so on.");

  private final OptionSpec strategies =
      text(
          "--strategy",
          "LIST",
          "global,local,flow",
          "Hosts that roll back: "
              + String.join(", ", Strategy.options())
              + "; the last is Algorithm 1 of the paper, in which all helpers compute to the end.");

  private final OptionSpec shape =
      text(
          "--shape", "SHAPE", "line", "'line' or 'grid': the neighbours whose parts a host needs.");

  private final OptionSpec sync =
      text(
          "--sync",
          "WHERE",
          "checkpoint",
          "'checkpoint': all hosts synchronize at checkpoints; 'none': hosts drift apart.");

  RollbackCommand(PrintStream out, PrintStream err) {
    super(out, err, "the table");
  }

  private static OptionSpec text(String name, String label, String value, String description) {
    return OptionSpec.builder(name)
        .type(String.class)
        .paramLabel(label)
        .defaultValue(value)
        .description(description + " Default: " + value + ".")
        .build();
  }

  @Override
  void addOptions() {
    spec.usageMessage()
        .description(
            "Simulates a stencil on many hosts with random failures, after which all hosts roll"
                + " back, or only failed hosts, or the hosts that their data came from. Reports the"
                + " recomputed work, the time, and the energy saved. The defaults are those of the"
                + " data flow rollback paper.");
    spec.addOption(hosts);
    spec.addOption(strategies);
    spec.addOption(shape);
    options.withDefault("--iterations", Quantity.COUNT, 1, 1e6, "1000", "Iterations.");
    options.withDefault(
        "--step", Quantity.TIME, 1e-6, 86400, "10s", "Time of one iteration on a host.");
    options.withDefault(
        "--interval", Quantity.COUNT, 1, 1e5, "6", "Iterations between checkpoints in memory.");
    spec.addOption(sync);
    options.withDefault(
        "--node-mtbf",
        Quantity.TIME,
        60,
        100_000 * YEAR,
        "100h",
        "Mean time between failures of one node.");
    spec.addOption(failures);
    options.withDefault(
        "--group-losses", Quantity.COUNT, 0, 3, "1", "Losses that a group of 16 survives.");
    options.withDefault(
        "--files-interval",
        Quantity.COUNT,
        0,
        1e6,
        "60",
        "Iterations between checkpoints in files; 0: none, roll back to the start.");
    options.withDefault(
        "--restart", Quantity.TIME, 0, 86400, "0s", "Time for detection and replacement.");
    options.withDefault(
        "--network-rate", Quantity.RATE, 1e3, 1e14, "1Gbit/s", "Network rate of a host.");
    options.withDefault("--latency", Quantity.TIME, 0, 10, "50us", "Latency between two hosts.");
    options.withDefault(
        "--halo", Quantity.BYTES, 0, 1e12, "800kB", "Data exchanged with a neighbour.");
    options.withDefault(
        "--checkpoint", Quantity.BYTES, 0, 1e13, "800kB", "Checkpoint size of a host.");
    options.withDefault(
        "--joules", Quantity.FACTOR, 0, 1e9, "500", "Energy of one iteration of one host, in J.");
    options.withDefault("--seeds", Quantity.COUNT, 1, 1000, "10", "Number of simulated runs.");
    options.withDefault("--seed", Quantity.COUNT, 0, 1e15, "1", "Seed of the first run.");
  }

  @Override
  void simulate() throws IOException {
    boolean grid = choice(shape, shape.getValue(), SHAPES).equals("grid");
    boolean synchronous = choice(sync, sync.getValue(), SYNCS).equals("checkpoint");
    List<Strategy> chosen = new ArrayList<>();
    for (String text : strategies.<String>getValue().split(",")) {
      chosen.add(Strategy.of(choice(strategies, text, Strategy.options())));
    }
    FailureMix mix = Mixes.of(failures).withNodeMtbf(options.get("--node-mtbf"));
    double joules = options.get("--joules");
    List<Double> counts =
        Quantity.COUNT.parseList("--hosts", hosts.getValue(), LEAST_HOSTS, MOST_HOSTS);
    double all = counts.stream().mapToDouble(count -> count).sum();
    progress.expect(all * Strategy.runs(chosen) * options.whole("--seeds"));
    List<String> rows = new ArrayList<>();
    rows.add("simulated_hosts,strategy,failures,beyond_groups,computed_again,seconds,joules_saved");
    out.println("simulated: means of %d runs".formatted(options.whole("--seeds")));
    out.println(
        "   hosts  strategy    failures  beyond groups  again, each  again, all  time (s)  saved"
            + " (J)");
    for (double count : counts) {
      Stencil stencil = stencil((int) count, grid, synchronous);
      RollbackMean global = run(stencil, Strategy.GLOBAL, mix);
      for (Strategy strategy : chosen) {
        RollbackMean mean = strategy == Strategy.GLOBAL ? global : run(stencil, strategy, mix);
        double saved = (global.again() - mean.again()) * joules;
        show(stencil, strategy.option(), mean, saved, rows);
      }
    }
    write(rows);
  }

  private static String choice(OptionSpec option, String value, List<String> valid) {
    if (!valid.contains(value)) {
      throw new IllegalArgumentException(
          "%s %s: must be one of %s%s"
              .formatted(
                  option.longestName(),
                  value,
                  String.join(", ", valid),
                  Nearest.question(value, valid)));
    }
    return value;
  }

  private Stencil stencil(int count, boolean grid, boolean synchronous) {
    int rows = grid ? Stencil.rowsOf(count) : 1;
    double latency = options.get("--latency");
    double rate = options.get("--network-rate");
    return new Stencil(
        count / rows,
        rows,
        options.whole("--iterations"),
        options.get("--step"),
        latency + options.get("--halo") / rate,
        options.whole("--interval"),
        latency + options.get("--checkpoint") / rate,
        options.whole("--files-interval"),
        options.get("--restart"),
        synchronous);
  }

  private RollbackMean run(Stencil stencil, Strategy strategy, FailureMix mix) {
    Grouping grouping = new Grouping(stencil.hosts(), GROUP_SIZE, options.whole("--group-losses"));
    return RollbackMean.of(
        stencil,
        strategy,
        mix,
        grouping,
        options.whole("--seeds"),
        (long) options.get("--seed"),
        () -> progress.add(stencil.hosts()));
  }

  private void show(
      Stencil stencil, String strategy, RollbackMean mean, double saved, List<String> rows) {
    print(
        String.format(
            Locale.ROOT,
            "%8d  %-10s  %8.1f  %13.1f  %11.1f  %10.0f  %8.0f  %9.3g",
            stencil.hosts(),
            strategy,
            mean.failures(),
            mean.beyondGroups(),
            mean.againPerFailure(),
            mean.again(),
            mean.seconds(),
            saved));
    rows.add(
        String.format(
            Locale.ROOT,
            "%d,%s,%.6g,%.6g,%.6g,%.6g,%.6g",
            stencil.hosts(),
            strategy,
            mean.failures(),
            mean.beyondGroups(),
            mean.again(),
            mean.seconds(),
            saved));
  }
}
