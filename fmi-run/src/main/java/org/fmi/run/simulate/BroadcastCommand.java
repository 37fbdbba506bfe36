package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.fmi.rules.RingOrder;
import org.fmi.rules.Spread;
import org.fmi.sim.detection.SpreadRun;

/** {@code fmi simulate broadcast}: the messages that notify all ranks of failures. */
final class BroadcastCommand extends RingCommand {
  private static final int LOG_RING_BASE = 2;

  BroadcastCommand(PrintStream out, PrintStream err) {
    super(out, err);
  }

  @Override
  void addOptions() {
    spec.usageMessage()
        .description(
            "Spreads the news of ranks that die at the same time to all others, by Chord, a"
                + " binomial graph (BMG), neighbours (HBA) and the log-ring. Counts messages to"
                + " living ranks, and rounds: the messages one after the other until the last rank"
                + " knows. The defaults are those of the OCFTL paper.");
    addRingOptions("10");
  }

  private record Mean(double messages, double rounds, long unreached) {}

  @Override
  void simulate() throws IOException {
    int ranks = ranks();
    List<Integer> failures = failures();
    int seeds = options.whole("--seeds");
    RingOrder order = RingOrder.ascending(ranks);
    progress.expect((double) failures.size() * Spread.Kind.values().length * seeds);
    List<String> rows = new ArrayList<>();
    rows.add("simulated_ranks,failures,broadcast,messages,rounds,unreached");
    print("simulated: %,d ranks, means of %d runs with random failures".formatted(ranks, seeds));
    print("  failures  broadcast      messages  rounds  of BMG  not reached");
    Map<Spread.Kind, List<Double>> lines = new EnumMap<>(Spread.Kind.class);
    for (int dead : failures) {
      Mean bmg = mean(Spread.Kind.BMG, order, dead, seeds);
      for (Spread.Kind kind : Spread.Kind.values()) {
        Mean mean = kind == Spread.Kind.BMG ? bmg : mean(kind, order, dead, seeds);
        String name = kind.name().toLowerCase(Locale.ROOT);
        print(
            String.format(
                Locale.ROOT,
                "%10d  %-9s  %,12.0f  %6.1f  %6.2f  %11d",
                dead,
                name,
                mean.messages,
                mean.rounds,
                mean.messages / bmg.messages,
                mean.unreached));
        rows.add(
            String.format(
                Locale.ROOT,
                "%d,%d,%s,%.6g,%.6g,%d",
                ranks,
                dead,
                name,
                mean.messages,
                mean.rounds,
                mean.unreached));
        lines.computeIfAbsent(kind, _ -> new ArrayList<>()).add(mean.messages / dead);
      }
    }
    write(rows);
    Chart chart = chart("messages per failure");
    lines.forEach((kind, values) -> chart.add(kind.name().toLowerCase(Locale.ROOT), values));
    draw(chart, "broadcast");
  }

  private Mean mean(Spread.Kind kind, RingOrder order, int dead, int seeds) {
    double messages = 0;
    double rounds = 0;
    long unreached = 0;
    for (int i = 0; i < seeds; i++) {
      SpreadRun.Outcome outcome =
          SpreadRun.of(kind, order, drawn(order.size(), dead, firstSeed() + i), LOG_RING_BASE);
      messages += outcome.messages();
      rounds += outcome.rounds();
      unreached += outcome.unreached();
      progress.add(1);
    }
    return new Mean(messages / seeds, rounds / seeds, unreached);
  }
}
