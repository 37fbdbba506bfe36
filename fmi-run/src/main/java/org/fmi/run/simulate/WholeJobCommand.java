package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.fmi.sim.Quantity;
import org.fmi.sim.scale.Decisions;
import org.fmi.sim.scale.ScaleResult;
import org.fmi.sim.scale.ScaleShape;
import org.fmi.sim.scale.ServiceTimes;
import org.fmi.sim.scale.SimulatedStart;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code fmi simulate job}: how the start of a job and a recovery grow with its nodes, and what the
 * decision maker does then.
 */
final class WholeJobCommand extends SimulationCommand {
  private static final int LEAST_NODES = 2;
  private static final int MOST_NODES = 1_000_000;
  private static final int MOST_RANKS = 1_000_000;

  /** Of the heap, when all of them join. */
  private static final long BYTES_PER_RANK = 3_000;

  private static final List<ScaleShape> MEASURED =
      List.of(new ScaleShape(4, 1, 1, 1, 0, 2), new ScaleShape(4, 16, 1, 1, 0, 2));

  private final Calibration calibration = new Calibration();

  private final OptionSpec nodes =
      OptionSpec.builder("--nodes")
          .type(String.class)
          .paramLabel("LIST")
          .defaultValue("100,1000,10000")
          .description(
              "Nodes with ranks, several numbers of them to compare. Default: 100,1000,10000.")
          .build();

  private final OptionSpec check =
      OptionSpec.builder("--check")
          .description("Instead: 4 and 64 ranks on one machine, beside what such jobs really took.")
          .build();

  WholeJobCommand(PrintStream out, PrintStream err) {
    super(out, err, "the times, and what was decided,");
  }

  @Override
  void addOptions() {
    spec.usageMessage()
        .description(
            "Starts a job on many nodes, loses one of them, and goes on: with the real decision"
                + " maker and log-ring, and ranks of which only what they say is left. Says how"
                + " long each step takes, and what the decision maker does on each event.");
    spec.addOption(nodes);
    options.withDefault("--ppn", Quantity.COUNT, 1, 1024, "1", "Ranks per node.");
    options.withDefault("--spares", Quantity.COUNT, 1, 1000, "1", "Spare nodes.");
    options.withDefault("--logring-base", Quantity.COUNT, 2, 1024, "2", "Base of the log-ring.");
    options.withDefault(
        "--event", Quantity.TIME, 1e-7, 1, "50us", "What fmirun takes for a message that comes.");
    options.withDefault(
        "--message", Quantity.TIME, 1e-7, 1, "20us", "What it takes for one that goes.");
    options.withDefault(
        "--network-rate", Quantity.RATE, 1e5, 1e14, "1GB/s", "What its machine sends.");
    options.withDefault(
        "--latency", Quantity.TIME, 1e-7, 10, "50us", "From one machine to another.");
    options.withDefault("--seed", Quantity.COUNT, 0, 1e15, "1", "Chooses the node that is lost.");
    spec.addOption(check);
  }

  @Override
  void simulate() throws IOException {
    ServiceTimes times =
        calibration.times(
            options.get("--event"),
            options.get("--message"),
            1 / options.get("--network-rate"),
            options.get("--latency"));
    long seed = (long) options.get("--seed");
    if (check.getValue() != null) {
      compare(times, seed);
    } else {
      scale(times, seed);
    }
  }

  // ---- predicted beside measured

  private void compare(ServiceTimes times, long seed) {
    out.println("simulated beside measured, all on one machine; seconds");
    out.println("ranks  step       simulated  measured  error");
    for (ScaleShape each : MEASURED) {
      ScaleShape shape =
          new ScaleShape(
              each.nodes(), each.ranksPerNode(), each.spares(), 1, calibration.cores(), 2);
      ScaleResult result = SimulatedStart.run(shape, times, seed, System::nanoTime);
      compare(shape.ranks(), "running", result.running());
      compare(shape.ranks(), "notified", result.notified());
      compare(shape.ranks(), "recovered", result.recovered());
    }
  }

  private void compare(int ranks, String step, double simulated) {
    double measured = calibration.measured(ranks, step);
    out.println(
        String.format(
            Locale.ROOT,
            "%5d  %-9s  %9.4f  %8.4f  %+.0f %%",
            ranks,
            step,
            simulated,
            measured,
            100 * (simulated - measured) / measured));
  }

  // ---- many nodes

  private void scale(ServiceTimes times, long seed) throws IOException {
    int ppn = options.whole("--ppn");
    List<Integer> counts = counts(ppn);
    int spares = options.whole("--spares");
    int base = options.whole("--logring-base");
    List<String> rows = new ArrayList<>();
    rows.add("simulated_nodes,ranks,what,value,unit");
    out.println(
        "simulated: the start, and from the loss of a node until all run again; a core per rank;"
            + " seconds");
    out.println(
        "   nodes    ranks  daemons up  joined  connected  running | notified  hops  joined "
            + " connected  running | start message");
    List<String> decided = new ArrayList<>();
    for (int count : counts) {
      ScaleShape shape = new ScaleShape(count, ppn, spares, 0, ppn, base);
      ScaleResult result = SimulatedStart.run(shape, times, seed, System::nanoTime);
      out.println(times(shape, result));
      decided.addAll(decisions(shape, result.decisions()));
      rows.addAll(rows(shape, result));
    }
    out.println();
    out.println(
        "simulated: what the decision maker did; its time is that of this machine, in"
            + " microseconds");
    out.println("   nodes  event           events  commands each  most  time each  longest");
    decided.forEach(out::println);
    write(rows);
  }

  private List<Integer> counts(int ppn) {
    List<Integer> counts = new ArrayList<>();
    String list = nodes.getValue();
    for (String text : list.split(",")) {
      int count = (int) Quantity.COUNT.parse("--nodes", text, LEAST_NODES, MOST_NODES);
      if ((long) count * ppn > MOST_RANKS) {
        throw new IllegalArgumentException(
            "--nodes %s --ppn %d: are more ranks than can be simulated, %s"
                .formatted(text, ppn, Quantity.COUNT.format(MOST_RANKS)));
      }
      requireMemory(count * ppn, Runtime.getRuntime().maxMemory());
      counts.add(count);
    }
    return counts;
  }

  /** Refuses what would come to no end, but for one of which the JVM complains. */
  static void requireMemory(int ranks, long most) {
    long bytes = BYTES_PER_RANK * ranks;
    if (bytes > most) {
      throw new IllegalArgumentException(
          "--nodes: %s ranks take some %s of memory, and there are %s for it, half of the machine's"
              .formatted(
                  Quantity.COUNT.format(ranks),
                  Quantity.BYTES.format((double) bytes),
                  Quantity.BYTES.format((double) most)));
    }
  }

  private static String times(ScaleShape shape, ScaleResult r) {
    return String.format(
        Locale.ROOT,
        "%8d %8d  %10.3f %7.3f  %9.3f  %7.3f | %8.4f  %4d  %6.3f  %9.3f  %7.3f | %s",
        shape.nodes(),
        shape.ranks(),
        r.daemonsUp(),
        r.joined(),
        r.connected(),
        r.running(),
        r.notified(),
        r.hops(),
        r.rejoined(),
        r.reconnected(),
        r.recovered(),
        Quantity.BYTES.format((double) r.startBytes()));
  }

  private static List<String> decisions(ScaleShape shape, Decisions decisions) {
    List<String> lines = new ArrayList<>();
    decisions.kinds().forEach((name, kind) -> lines.add(line(shape, name, kind)));
    lines.add(line(shape, "all", decisions.all()));
    return lines;
  }

  private static String line(ScaleShape shape, String name, Decisions.Kind kind) {
    return String.format(
        Locale.ROOT,
        "%8d  %-14s %7d  %13.2f  %4d  %9.2f  %7.0f",
        shape.nodes(),
        name,
        kind.events(),
        (double) kind.commands() / kind.events(),
        kind.mostCommands(),
        kind.nanos() / 1e3 / kind.events(),
        kind.longestNanos() / 1e3);
  }

  private static List<String> rows(ScaleShape shape, ScaleResult r) {
    List<String> rows = new ArrayList<>();
    String job = shape.nodes() + "," + shape.ranks() + ",";
    Map<String, Double> seconds =
        Map.of(
            "1 daemons up", r.daemonsUp(),
            "2 joined", r.joined(),
            "3 connected", r.connected(),
            "4 running", r.running(),
            "5 notified", r.notified(),
            "6 joined again", r.rejoined(),
            "7 connected again", r.reconnected(),
            "8 running again", r.recovered());
    seconds.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            step ->
                rows.add(
                    String.format(
                        Locale.ROOT,
                        "%s%s,%.6g,s",
                        job,
                        step.getKey().substring(2),
                        step.getValue())));
    rows.add(job + "hops," + r.hops() + ",ranks");
    rows.add(job + "start message," + r.startBytes() + ",bytes");
    r.decisions()
        .kinds()
        .forEach(
            (name, kind) -> {
              rows.add(job + name + "," + kind.events() + ",events");
              rows.add(job + name + "," + kind.commands() + ",commands");
              rows.add(job + name + "," + kind.mostCommands() + ",most commands");
              rows.add(job + name + "," + kind.nanos() + ",ns of this machine");
              rows.add(job + name + "," + kind.longestNanos() + ",longest ns of this machine");
            });
    return rows;
  }
}
