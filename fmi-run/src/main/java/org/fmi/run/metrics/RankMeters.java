package org.fmi.run.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.fmi.control.MeterReading;
import org.fmi.control.RankReport;

/**
 * Meters of the program, of all ranks: each is registered when it is first seen, with a label for
 * its rank. Counts continue when a rank gets another process.
 */
final class RankMeters {
  private final String jobId;
  private final List<MeterRegistry> registries = new ArrayList<>();

  /** By rank. */
  private final List<Map<Key, Values>> known = new ArrayList<>();

  private record Key(String name, Map<String, String> tags) {}

  /** Read by the server and the pusher. */
  private static final class Values {
    private final Map<Statistic, Double> earlier = new EnumMap<>(Statistic.class);
    private final Map<Statistic, Double> now = new EnumMap<>(Statistic.class);

    synchronized void set(Statistic statistic, double value) {
      now.put(statistic, value);
    }

    /** Notes that another process counts from zero. */
    synchronized void restart() {
      now.forEach(
          (statistic, value) -> {
            if (counts(statistic)) {
              earlier.merge(statistic, value, Double::sum);
            }
          });
      now.clear();
    }

    /** Returns NaN for a level that the present process has not reported. */
    synchronized double get(Statistic statistic) {
      Double value = now.get(statistic);
      return counts(statistic)
          ? earlier.getOrDefault(statistic, 0.0) + (value == null ? 0 : value)
          : value == null ? Double.NaN : value;
    }
  }

  RankMeters(String jobId, int ranks) {
    this.jobId = jobId;
    for (int r = 0; r < ranks; r++) {
      known.add(new HashMap<>());
    }
  }

  /** Adds a registry for all meters. Called before anything is reported. */
  void bindTo(MeterRegistry registry) {
    registries.add(registry);
  }

  private static boolean counts(Statistic statistic) {
    return switch (statistic) {
      case COUNT, TOTAL, TOTAL_TIME -> true;
      case MAX, VALUE, UNKNOWN, ACTIVE_TASKS, DURATION -> false;
    };
  }

  /** Notes a new process of a rank. */
  void spawned(int rank) {
    known.get(rank).values().forEach(Values::restart);
  }

  /** Takes a report of a rank's current process. */
  void reported(int rank, RankReport report) {
    for (MeterReading reading : report.meters()) {
      Values values =
          known
              .get(rank)
              .computeIfAbsent(
                  new Key(reading.name(), reading.tags()), _ -> register(rank, reading));
      reading.values().forEach((name, value) -> values.set(Statistic.valueOf(name), value));
    }
  }

  private Values register(int rank, MeterReading reading) {
    Values values = new Values();
    Tags tags = Tags.of("job", jobId, "rank", Integer.toString(rank));
    for (Map.Entry<String, String> tag : reading.tags().entrySet()) {
      tags = tags.and(tag.getKey(), tag.getValue());
    }
    for (MeterRegistry registry : registries) {
      register(registry, reading, tags, values);
    }
    return values;
  }

  private static void register(
      MeterRegistry registry, MeterReading reading, Tags tags, Values values) {
    String name = reading.name();
    switch (Meter.Type.valueOf(reading.type())) {
      case COUNTER -> register(registry, reading, name, Statistic.COUNT, tags, values);
      case GAUGE -> register(registry, reading, name, Statistic.VALUE, tags, values);
      case TIMER -> {
        FunctionTimer.builder(
                name,
                values,
                v -> (long) v.get(Statistic.COUNT),
                v -> v.get(Statistic.TOTAL_TIME),
                TimeUnit.SECONDS)
            .description(reading.description())
            .tags(tags)
            .register(registry);
        register(registry, reading, name + ".max", Statistic.MAX, tags, values);
      }
      case DISTRIBUTION_SUMMARY, LONG_TASK_TIMER, OTHER -> {
        for (String each : reading.values().keySet()) {
          Statistic statistic = Statistic.valueOf(each);
          String of = name + "." + each.toLowerCase(Locale.ROOT).replace('_', '.');
          register(registry, reading, of, statistic, tags, values);
        }
      }
    }
  }

  private static void register(
      MeterRegistry registry,
      MeterReading reading,
      String name,
      Statistic statistic,
      Tags tags,
      Values values) {
    String unit = reading.unit().isEmpty() ? null : reading.unit();
    if (counts(statistic)) {
      FunctionCounter.builder(name, values, v -> v.get(statistic))
          .description(reading.description())
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
    } else {
      Gauge.builder(name, values, v -> v.get(statistic))
          .description(reading.description())
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
    }
  }
}
