package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.fmi.rules.HeartRing;
import org.fmi.rules.RingOrder;
import org.fmi.sim.detection.HeartRun;

/** {@code fmi simulate heartbeat}: the timeouts until all ranks know who has died. */
final class HeartbeatCommand extends RingCommand {
  HeartbeatCommand(PrintStream out, PrintStream err) {
    super(out, err);
  }

  /** The dying ranks, and the order of the ring. */
  private record Case(
      String dead,
      String order,
      boolean random,
      LongFunction<BitSet> who,
      LongFunction<RingOrder> ring) {}

  private record Times(double mean, double worst) {}

  @Override
  void addOptions() {
    spec.usageMessage()
        .description(
            "Lets ranks die at the same time in a ring of heartbeats, and counts the timeouts until"
                + " all others know: adjacent ranks or random ones, in order and shuffled; in the"
                + " paper's form, and FMI's, in which a rank asks the one that it observes from now"
                + " on for a heartbeat. The defaults are those of the OCFTL paper.");
    addRingOptions("100");
  }

  @Override
  void simulate() throws IOException {
    int ranks = ranks();
    List<Integer> failures = failures();
    int seeds = options.whole("--seeds");
    RingOrder inOrder = RingOrder.ascending(ranks);
    List<List<Double>> lines = new ArrayList<>();
    List<String> names = new ArrayList<>();
    List<String> rows = new ArrayList<>();
    rows.add("simulated_ranks,failures,dead,order,form,mean_timeouts,worst_timeouts");
    print("simulated: %,d ranks; of what is random, %d runs".formatted(ranks, seeds));
    print("  failures  dead      order     form      mean  worst");
    progress.expect(6.0 * failures.size() * seeds);
    for (int number : failures) {
      BitSet first = new BitSet();
      first.set(0, number);
      List<Case> cases =
          List.of(
              new Case("adjacent", "in order", false, _ -> first, _ -> inOrder),
              new Case("adjacent", "shuffled", true, _ -> first, s -> RingOrder.shuffled(ranks, s)),
              new Case("random", "in order", true, s -> drawn(ranks, number, s), _ -> inOrder));
      int line = 0;
      for (Case each : cases) {
        for (HeartRing.Form form : List.of(HeartRing.Form.PAPER, HeartRing.Form.ASKING)) {
          String of = form == HeartRing.Form.PAPER ? "paper's" : "FMI's";
          Times times = times(each, form, each.random ? seeds : 1);
          print(
              String.format(
                  Locale.ROOT,
                  "%10d  %-8s  %-8s  %-7s  %5.2f  %5.0f",
                  number,
                  each.dead,
                  each.order,
                  of,
                  times.mean,
                  times.worst));
          rows.add(
              String.format(
                  Locale.ROOT,
                  "%d,%d,%s,%s,%s,%.6g,%.6g",
                  ranks,
                  number,
                  each.dead,
                  each.order,
                  form == HeartRing.Form.PAPER ? "paper" : "fmi",
                  times.mean,
                  times.worst));
          if (line == lines.size()) {
            lines.add(new ArrayList<>());
            names.add(each.dead + ", " + each.order + ", " + of);
          }
          lines.get(line++).add(times.mean);
        }
      }
    }
    write(rows);
    Chart chart = chart("timeouts until all know");
    for (int line = 0; line < lines.size(); line++) {
      chart.add(names.get(line), lines.get(line));
    }
    draw(chart, "heartbeat");
  }

  private Times times(Case each, HeartRing.Form form, int runs) {
    double sum = 0;
    double worst = 0;
    for (int i = 0; i < runs; i++) {
      long seed = firstSeed() + i;
      double timeouts = HeartRun.timeouts(each.ring.apply(seed), form, each.who.apply(seed));
      sum += timeouts;
      worst = Math.max(worst, timeouts);
      progress.add(1);
    }
    return new Times(sum / runs, worst);
  }
}
