package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.fmi.sim.Quantity;
import org.fmi.sim.failures.FailureKind;
import org.fmi.sim.scale.Decisions;
import org.fmi.sim.scale.Decisions.Step;
import org.fmi.sim.scale.Meter;
import org.fmi.sim.scale.ScaleResult;
import org.fmi.sim.scale.ScaleShape;
import org.fmi.sim.scale.ServiceTimes;
import org.fmi.sim.scale.SimulatedStart;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code fmi simulate job}: the time of the start of a job and of a recovery by the number of
 * nodes, and the work of the decision maker.
 */
final class WholeJobCommand extends SimulationCommand {
  private static final int LEAST_NODES = 2;
  private static final int MOST_NODES = 1_000_000;
  private static final int MOST_RANKS = 1_000_000;

  /** Heap when all ranks join. */
  private static final long BYTES_PER_RANK = 3_000;

  /** Approximate; for the progress bar alone. */
  private static final double EVENTS_PER_RANK = 9;

  private static final List<ScaleShape> MEASURED =
      List.of(new ScaleShape(4, 1, 1, 1, 0, 2, 1), new ScaleShape(4, 16, 1, 1, 0, 2, 1));

  /** Measures decisions, and reports progress. */
  private final class ThisMachine implements Meter {
    ThisMachine() {
      // The first call loads classes.
      long _ = heapBytes();
    }

    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public long heapBytes() {
      System.gc();
      // The bytes in use now include room that a thread has reserved.
      return ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .mapToLong(pool -> pool.getCollectionUsage().getUsed())
          .sum();
    }

    @Override
    public void decided() {
      progress.add(1);
    }
  }

  private final Calibration calibration = new Calibration();

  private final OptionSpec nodes =
      OptionSpec.builder("--nodes")
          .type(String.class)
          .paramLabel("LIST")
          .defaultValue("100,1000,10000")
          .description("Numbers of nodes with ranks to compare. Default: 100,1000,10000.")
          .build();

  private final OptionSpec check =
      OptionSpec.builder("--check")
          .description(
              "Instead, compare simulated jobs of 4 and 64 ranks on one machine with measured"
                  + " ones.")
          .build();

  WholeJobCommand(PrintStream out, PrintStream err) {
    super(out, err, "the times, and what was decided,");
  }

  @Override
  void addOptions() {
    spec.usageMessage()
        .description(
            "Simulates the start of a job on many nodes, the loss of one node, or of all nodes on"
                + " one power supply, switch or rack, and the recovery. Runs the real decision"
                + " maker and log-ring; of the ranks it runs only their messages. Reports the time"
                + " of each step and the work of the decision maker on each event. Simulates each"
                + " kind of loss in --failures once, except the loss of all nodes.");
    spec.addOption(nodes);
    spec.addOption(failures);
    options.withDefault("--ppn", Quantity.COUNT, 1, 1024, "1", "Ranks per node.");
    options.withDefault("--spares", Quantity.COUNT, 1, 1000, "1", "Spare nodes.");
    options.withDefault("--logring-base", Quantity.COUNT, 2, 1024, "2", "Base of the log-ring.");
    options.withDefault(
        "--event", Quantity.TIME, 1e-7, 1, "50us", "Time of fmirun per received message.");
    options.withDefault(
        "--message", Quantity.TIME, 1e-7, 1, "20us", "Time of fmirun per sent message.");
    options.withDefault(
        "--network-rate", Quantity.RATE, 1e5, 1e14, "1GB/s", "Send rate of its machine.");
    options.withDefault(
        "--latency", Quantity.TIME, 1e-7, 10, "50us", "Latency between two machines.");
    options.withDefault(
        "--seed", Quantity.COUNT, 0, 1e15, "1", "Seed that chooses the lost nodes.");
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

  // ---- predicted and measured

  private void compare(ServiceTimes times, long seed) {
    out.println("simulated and measured, all on one machine; seconds");
    out.println("ranks  step       simulated  measured  error");
    for (ScaleShape each : MEASURED) {
      ScaleShape shape =
          new ScaleShape(
              each.nodes(), each.ranksPerNode(), each.spares(), 1, calibration.cores(), 2, 1);
      ScaleResult result = SimulatedStart.run(shape, times, seed, new ThisMachine());
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
    List<ScaleShape> shapes = shapes(ppn);
    progress.expect(EVENTS_PER_RANK * shapes.stream().mapToDouble(ScaleShape::ranks).sum());
    List<String> rows = new ArrayList<>();
    rows.add("simulated_nodes,ranks,lost,what,value,unit");
    out.println(
        "simulated: the start, and the time from the loss of nodes until all run again; one core"
            + " per rank; seconds");
    out.println(
        "   nodes    ranks  daemons up  joined  connected  running | lost  notified  hops  joined "
            + " connected  running | start message");
    List<String> costs = new ArrayList<>();
    List<String> decided = new ArrayList<>();
    for (ScaleShape shape : shapes) {
      ScaleResult result = SimulatedStart.run(shape, times, seed, new ThisMachine());
      print(times(shape, result));
      costs.add(cost(shape, result.decisions()));
      for (Step step : Step.values()) {
        decided.addAll(decisions(shape, step, result.decisions()));
      }
      rows.addAll(rows(shape, result));
    }
    out.println();
    out.println(
        "simulated: operations of the decision maker per event (accesses to a node or rank);"
            + " its time on this machine, in us; its heap");
    out.println(
        "   nodes    ranks | start: each     most  us each  longest | lost  recovery: each     most"
            + "  us each  longest | bytes per rank");
    costs.forEach(out::println);
    out.println();
    out.println("simulated: the same by event");
    out.println(
        "   nodes  lost  step      event           events  commands each  most  looks each     most"
            + "  us each  longest");
    decided.forEach(out::println);
    write(rows);
  }

  /** Combines each number of nodes with each kind of loss that leaves some of them. */
  private List<ScaleShape> shapes(int ppn) {
    int spares = options.whole("--spares");
    int base = options.whole("--logring-base");
    List<ScaleShape> shapes = new ArrayList<>();
    for (int count : counts(ppn)) {
      for (FailureKind kind : Mixes.of(failures).kinds()) {
        if (kind.nodes() < count) {
          shapes.add(new ScaleShape(count, ppn, spares, 0, ppn, base, kind.nodes()));
        }
      }
    }
    return shapes;
  }

  private List<Integer> counts(int ppn) {
    List<Integer> counts = new ArrayList<>();
    String list = nodes.getValue();
    for (String text : list.split(",")) {
      int count = (int) Quantity.COUNT.parse("--nodes", text, LEAST_NODES, MOST_NODES);
      if ((long) count * ppn > MOST_RANKS) {
        throw new IllegalArgumentException(
            "--nodes %s --ppn %d: too many ranks to simulate; the limit is %s"
                .formatted(text, ppn, Quantity.COUNT.format(MOST_RANKS)));
      }
      requireMemory(count * ppn, Runtime.getRuntime().maxMemory());
      counts.add(count);
    }
    return counts;
  }

  /** Refuses a job that does not fit into memory, before the JVM fails slowly. */
  static void requireMemory(int ranks, long most) {
    long bytes = BYTES_PER_RANK * ranks;
    if (bytes > most) {
      throw new IllegalArgumentException(
          "--nodes: %s ranks need about %s of memory, more than %s, half of the machine's"
              .formatted(
                  Quantity.COUNT.format(ranks),
                  Quantity.BYTES.format((double) bytes),
                  Quantity.BYTES.format((double) most)));
    }
  }

  private static String times(ScaleShape shape, ScaleResult r) {
    return String.format(
        Locale.ROOT,
        "%8d %8d  %10.3f %7.3f  %9.3f  %7.3f | %4d  %8.4f  %4d  %6.3f  %9.3f  %7.3f | %s",
        shape.nodes(),
        shape.ranks(),
        r.daemonsUp(),
        r.joined(),
        r.connected(),
        r.running(),
        shape.lost(),
        r.notified(),
        r.hops(),
        r.rejoined(),
        r.reconnected(),
        r.recovered(),
        Quantity.BYTES.format((double) r.startBytes()));
  }

  private static String cost(ScaleShape shape, Decisions decisions) {
    Decisions.Kind start = decisions.all(Step.START);
    Decisions.Kind recovery = decisions.all(Step.RECOVERY);
    return String.format(
        Locale.ROOT,
        "%8d %8d | %11.2f %8d  %7.2f  %7.0f | %4d  %14.2f %8d  %7.2f  %7.0f | %14.0f",
        shape.nodes(),
        shape.ranks(),
        each(start.looks(), start),
        start.mostLooks(),
        each(start.nanos(), start) / 1e3,
        start.longestNanos() / 1e3,
        shape.lost(),
        each(recovery.looks(), recovery),
        recovery.mostLooks(),
        each(recovery.nanos(), recovery) / 1e3,
        recovery.longestNanos() / 1e3,
        (double) decisions.heapBytes() / shape.ranks());
  }

  private static double each(long all, Decisions.Kind kind) {
    return (double) all / kind.events();
  }

  private static List<String> decisions(ScaleShape shape, Step step, Decisions decisions) {
    List<String> lines = new ArrayList<>();
    decisions.kinds(step).forEach((name, kind) -> lines.add(line(shape, step, name, kind)));
    lines.add(line(shape, step, "all", decisions.all(step)));
    return lines;
  }

  private static String line(ScaleShape shape, Step step, String name, Decisions.Kind kind) {
    return String.format(
        Locale.ROOT,
        "%8d  %4d  %-8s  %-14s %7d  %13.2f  %4d  %10.2f %8d  %7.2f  %7.0f",
        shape.nodes(),
        shape.lost(),
        name(step),
        name,
        kind.events(),
        each(kind.commands(), kind),
        kind.mostCommands(),
        each(kind.looks(), kind),
        kind.mostLooks(),
        each(kind.nanos(), kind) / 1e3,
        kind.longestNanos() / 1e3);
  }

  private static String name(Step step) {
    return step.name().toLowerCase(Locale.ROOT);
  }

  private static List<String> rows(ScaleShape shape, ScaleResult r) {
    List<String> rows = new ArrayList<>();
    String job = shape.nodes() + "," + shape.ranks() + "," + shape.lost() + ",";
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
    rows.add(job + "heap of the decision maker," + r.decisions().heapBytes() + ",bytes");
    for (Step step : Step.values()) {
      r.decisions()
          .kinds(step)
          .forEach(
              (name, kind) -> {
                String event = job + name(step) + ": " + name + ",";
                rows.add(event + kind.events() + ",events");
                rows.add(event + kind.commands() + ",commands");
                rows.add(event + kind.mostCommands() + ",most commands");
                rows.add(event + kind.looks() + ",looks");
                rows.add(event + kind.mostLooks() + ",most looks");
                rows.add(event + kind.nanos() + ",ns of this machine");
                rows.add(event + kind.longestNanos() + ",longest ns of this machine");
              });
    }
    return rows;
  }
}
