package org.fmi.bench.papers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.fmi.sim.Progress;
import org.fmi.sim.Quantity;
import org.fmi.sim.checkpoint.Machine;
import org.fmi.sim.failures.FailureMix;
import org.fmi.sim.failures.Grouping;
import org.fmi.sim.papers.FlowEnergy;
import org.fmi.sim.papers.Resilience;
import org.fmi.sim.rollback.RollbackMean;
import org.fmi.sim.rollback.Stencil;
import org.fmi.sim.rollback.Strategy;

/** {@code bench/papers NAME}: figures of the papers by simulation, as tables and charts. */
public final class Papers {
  private static final int USAGE = 64;
  private static final String NAMES = "resilience, energy, rollback";
  private static final double YEAR = 365 * 86400.0;
  private static final List<Double> FACTORS = List.of(1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0);
  private static final List<Double> DAY_FACTORS =
      List.of(1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 20.0, 30.0, 40.0, 50.0);

  /** {@code bench/papers} knows whether standard error is a terminal. */
  private static final Progress PROGRESS =
      new Progress(Boolean.getBoolean("terminal") ? Papers::draw : _ -> {}, System::nanoTime);

  private Papers() {}

  private static void draw(String text) {
    System.err.print(text);
    System.err.flush();
  }

  public static void main(String[] args) throws IOException {
    System.setProperty("java.awt.headless", "true");
    try {
      if (args.length == 0) {
        throw new IllegalArgumentException("name a figure: " + NAMES);
      }
      Options options = new Options(List.of(args).subList(1, args.length));
      Function<Options, List<Figure>> figures =
          switch (args[0]) {
            case "resilience" -> Papers::resilience;
            case "energy" -> Papers::energy;
            case "rollback" -> Papers::rollback;
            default ->
                throw new IllegalArgumentException(
                    args[0] + ": no such figure; there are " + NAMES);
          };
      List<Figure> found = figures.apply(options);
      PROGRESS.erase();
      write(found, options);
    } catch (IllegalArgumentException e) {
      PROGRESS.erase();
      System.err.println("bench/papers: " + e.getMessage());
      System.exit(USAGE);
    }
  }

  private static void write(List<Figure> figures, Options options) throws IOException {
    figures.forEach(Figure::print);
    String csv = options.place("--csv");
    if (csv != null) {
      List<String> rows = new ArrayList<>();
      rows.add("simulated_figure,curve,x,y");
      figures.forEach(figure -> rows.addAll(figure.rows()));
      Files.write(Path.of(csv), rows);
    }
    String folder = options.place("--plot");
    if (folder != null) {
      Path plots = Files.createDirectories(Path.of(folder));
      for (Figure figure : figures) {
        figure.draw(plots);
      }
    }
  }

  /** FMI paper, Figs. 16 and 17. */
  private static List<Figure> resilience(Options options) {
    Resilience rates =
        new Resilience(
            options.get("--memory-failures", Quantity.FREQUENCY, 1e-12, 1, "2.13e-6/s"),
            options.get("--files-failures", Quantity.FREQUENCY, 1e-12, 1, "4.27e-7/s"));
    double time = options.get("--time", Quantity.TIME, 60, YEAR, "24h");
    Resilience.Site site =
        new Resilience.Site(
            new Machine(
                options.get("--memory-rate", Quantity.RATE, 1e6, 1e14, "32GB/s"),
                options.get("--network-rate", Quantity.RATE, 1e6, 1e14, "4GB/s"),
                options.get("--files-rate", Quantity.RATE, 1e6, 1e15, "50GB/s"),
                options.get("--files-cost", Quantity.SHARE, 0, 0.9, "10%"),
                options.get("--restart", Quantity.TIME, 0.001, 86400, "1s")),
            options.count("--nodes", 2, 1e6, "1000"),
            options.count("--group-size", 2, 1024, "16"));
    int seeds = options.count("--seeds", 1, 1000, "5");
    long seed = (long) options.get("--seed", Quantity.COUNT, 0, 1e15, "1");
    options.requireKnown();
    Figure day =
        new Figure(
            "fmi-16",
            "FMI paper, Fig. 16: to run for " + Quantity.TIME.format(time),
            "scale factor",
            "probability",
            false);
    for (double factor : DAY_FACTORS) {
      Resilience scaled = rates.times(factor, factor);
      day.add("with FMI", factor, scaled.runs(time, true));
      day.add("without FMI", factor, scaled.runs(time, false));
    }
    Figure efficiency =
        new Figure("fmi-17", "FMI paper, Fig. 17", "scale factor", "efficiency", false);
    Figure model =
        new Figure(
            "fmi-17-model", "FMI paper, Fig. 17, by a model", "scale factor", "efficiency", false);
    PROGRESS.expect(4.0 * FACTORS.size() * seeds);
    for (double bytes : new double[] {1e9, 10e9}) {
      for (boolean both : new boolean[] {false, true}) {
        String curve = (both ? "L1,2 - " : "L1 - ") + Quantity.BYTES.format(bytes) + "/node";
        rates
            .efficiency(site, bytes, both, FACTORS, seeds, seed, () -> PROGRESS.add(1))
            .forEach(
                point -> {
                  efficiency.add(curve, point.factor(), point.simulated());
                  model.add(curve, point.factor(), point.model());
                });
      }
    }
    return List.of(day, efficiency, model);
  }

  /** Data flow rollback paper, Fig. 6. */
  private static List<Figure> rollback(Options options) {
    List<Double> hosts = options.list("--hosts", Quantity.COUNT, 2, 1e5, "100..1000");
    List<Strategy> strategies =
        options
            .names("--strategy", Strategy.options(), String.join(",", Strategy.options()))
            .stream()
            .map(Strategy::of)
            .toList();
    List<String> syncs = options.names("--sync", List.of("checkpoint", "none"), "checkpoint,none");
    boolean grid = options.name("--shape", List.of("line", "grid"), "line").equals("grid");
    int iterations = options.count("--iterations", 1, 1e6, "1000");
    double step = options.get("--step", Quantity.TIME, 1e-6, 86400, "10s");
    int interval = options.count("--interval", 1, 1e5, "6");
    FailureMix mix =
        FailureMix.single()
            .withNodeMtbf(options.get("--mtbf", Quantity.TIME, 60, 1000 * YEAR, "100h"));
    double rate = options.get("--bandwidth", Quantity.RATE, 1e3, 1e14, "1Gbit/s");
    double latency = options.get("--latency", Quantity.TIME, 0, 10, "50us");
    double halo = latency + options.get("--halo", Quantity.BYTES, 0, 1e12, "800kB") / rate;
    double checkpoint =
        latency + options.get("--checkpoint", Quantity.BYTES, 0, 1e13, "800kB") / rate;
    double joules = options.get("--joules", Quantity.FACTOR, 0, 1e9, "500");
    int seeds = options.count("--seeds", 1, 1000, "10");
    long seed = (long) options.get("--seed", Quantity.COUNT, 0, 1e15, "1");
    options.requireKnown();
    String paper = "Data flow rollback paper, Fig. 6";
    Figure again = new Figure("flow-6a", paper + "a", "hosts", "iterations again", true);
    Figure saved = new Figure("flow-6b", paper + "b", "hosts", "energy saved (J)", false);
    Figure time = new Figure("flow-6c", paper + "c", "hosts", "time (s)", false);
    Figure crashes = new Figure("flow-crashes", paper + ", crashes", "hosts", "crashes", false);
    int runs = syncs.size() * Strategy.runs(strategies);
    PROGRESS.expect(hosts.stream().mapToDouble(n -> n).sum() * runs * seeds);
    for (double n : hosts) {
      int rows = grid ? Stencil.rowsOf((int) n) : 1;
      Grouping grouping = new Grouping((int) n, 2, 1);
      for (String sync : syncs) {
        boolean together = sync.equals("checkpoint");
        String where = together ? ", checkpoints synchronise" : ", hosts run apart";
        Stencil stencil =
            new Stencil(
                (int) n / rows, rows, iterations, step, halo, interval, checkpoint, 0, 0, together);
        Function<Strategy, RollbackMean> run =
            strategy ->
                RollbackMean.of(
                    stencil, strategy, mix, grouping, seeds, seed, () -> PROGRESS.add(n));
        RollbackMean global = run.apply(Strategy.GLOBAL);
        for (Strategy strategy : strategies) {
          RollbackMean mean = strategy == Strategy.GLOBAL ? global : run.apply(strategy);
          time.add(curve(strategy) + where, n, mean.seconds());
          // What is computed again differs little by where hosts meet.
          if (sync.equals(syncs.getFirst())) {
            crashes.add(curve(strategy), n, mean.failures());
            again.add(curve(strategy), n, mean.again());
            if (strategy != Strategy.GLOBAL) {
              saved.add(curve(strategy), n, (global.again() - mean.again()) * joules);
            }
          }
        }
      }
    }
    saved.fitQuadratically();
    return strategies.equals(List.of(Strategy.GLOBAL))
        ? List.of(crashes, again, time)
        : List.of(crashes, again, saved, time);
  }

  private static String curve(Strategy strategy) {
    return switch (strategy) {
      case GLOBAL -> "global";
      case LOCAL -> "with a log";
      case FLOW -> "data flow, as far as needed";
      case FLOW_PAPER -> "data flow, Alg. 1";
    };
  }

  /** Data flow rollback paper, §6. */
  private static List<Figure> energy(Options options) {
    int hosts = options.count("--hosts", 2, 1e7, "1e5");
    FlowEnergy energy =
        new FlowEnergy(
            options.get("--mtbf", Quantity.TIME, 60, 100_000 * YEAR, "50y"),
            options.count("--interval", 1, 10_000, "10"),
            options.get("--iteration", Quantity.TIME, 1e-6, 86400, "4s"),
            options.get("--saved", Quantity.FACTOR, 0, 1e6, "10"));
    options.requireKnown();
    Figure figure =
        new Figure(
            "flow-energy",
            "Data flow rollback paper, Eq. 7",
            "processes",
            "power saved (J/s)",
            true);
    for (double n = Math.min(100, hosts);
        n <= hosts;
        n = n < hosts ? Math.min(hosts, n * 10) : 2 * n) {
      figure.add("n^2 (Eq. 7)", n, energy.watts(n));
      figure.add("1D stencil (Eq. 3)", n, energy.watts(n, 1));
      figure.add("2D stencil (Eq. 3)", n, energy.watts(n, 2));
    }
    return List.of(figure);
  }
}
