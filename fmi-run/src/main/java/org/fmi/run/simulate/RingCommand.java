package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.fmi.sim.Quantity;
import picocli.CommandLine.Model.OptionSpec;

/** The common part of the simulations of ranks that die in a ring. */
abstract class RingCommand extends SimulationCommand {
  private static final int MOST_RANKS = 100_000;

  private final OptionSpec counts =
      OptionSpec.builder("--failures")
          .type(String.class)
          .paramLabel("LIST")
          .defaultValue("1,2,4,8,16")
          .description("Numbers of ranks that die at the same time. Default: 1,2,4,8,16.")
          .build();

  private final OptionSpec plot =
      OptionSpec.builder("--plot")
          .type(Path.class)
          .paramLabel("DIR")
          .description("Draws a chart into this directory, an SVG file.")
          .build();

  RingCommand(PrintStream out, PrintStream err) {
    super(out, err, "the table");
  }

  final void addRingOptions(String seeds) {
    options.withDefault("--hosts", Quantity.COUNT, 1, MOST_RANKS, "20", "Number of hosts.");
    options.withDefault("--ppn", Quantity.COUNT, 1, MOST_RANKS, "24", "Ranks per host.");
    spec.addOption(counts);
    options.withDefault("--seeds", Quantity.COUNT, 1, 100_000, seeds, "Number of random runs.");
    options.withDefault("--seed", Quantity.COUNT, 0, 1e15, "1", "Seed of the first run.");
    spec.addOption(plot);
  }

  final int ranks() {
    double ranks = options.get("--hosts") * options.get("--ppn");
    if (ranks < 2 || ranks > MOST_RANKS) {
      throw new IllegalArgumentException(
          "--hosts and --ppn: %,.0f ranks; a ring is simulated with 2 to %,d"
              .formatted(ranks, MOST_RANKS));
    }
    return (int) ranks;
  }

  /** The numbers of failures; each leaves at least one rank. */
  final List<Integer> failures() {
    return Quantity.COUNT.parseList("--failures", counts.getValue(), 1, ranks() - 1.0).stream()
        .map(Double::intValue)
        .toList();
  }

  /** The first of the random runs. */
  final long firstSeed() {
    return (long) options.get("--seed");
  }

  /** Different ranks, drawn by chance. */
  static BitSet drawn(int ranks, int number, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    BitSet drawn = new BitSet(ranks);
    while (drawn.cardinality() < number) {
      drawn.set(random.nextInt(ranks));
    }
    return drawn;
  }

  /** An empty chart of values by numbers of failures. */
  final Chart chart(String values) {
    return new Chart(
        "%,d ranks".formatted(ranks()),
        "simultaneous failures",
        values,
        failures().stream().map(String::valueOf).toList());
  }

  final void draw(Chart chart, String name) throws IOException {
    Path directory = plot.getValue();
    if (directory != null) {
      writing("--plot " + directory);
      chart.write(Files.createDirectories(directory).resolve(name + ".svg"));
    }
  }
}
