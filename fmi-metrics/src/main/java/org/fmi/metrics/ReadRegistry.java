package org.fmi.metrics;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.fmi.control.MeterReading;
import org.fmi.control.MeterSource;

/**
 * A registry whose meters are read once per second by a dedicated thread: gauges call functions of
 * the program, which may take any time.
 */
final class ReadRegistry implements MeterSource {
  /** Meters beyond this number are not reported: each costs a hundred bytes per second. */
  static final int MOST = 200;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private volatile List<MeterReading> readings = List.of();

  ReadRegistry() {
    Thread.ofPlatform().daemon().name("fmi-meters").start(this::readEverySecond);
  }

  MeterRegistry registry() {
    return registry;
  }

  @Override
  public List<MeterReading> readings() {
    return readings;
  }

  private void readEverySecond() {
    while (!Thread.interrupted()) {
      readings = read();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Reads all meters. */
  List<MeterReading> read() {
    List<MeterReading> read = new ArrayList<>();
    for (Meter meter : registry.getMeters()) {
      if (read.size() < MOST) {
        read.add(read(meter));
      }
    }
    return List.copyOf(read);
  }

  private static MeterReading read(Meter meter) {
    Meter.Id id = meter.getId();
    Map<String, String> tags = new LinkedHashMap<>();
    for (Tag tag : id.getTags()) {
      tags.put(tag.getKey(), tag.getValue());
    }
    Map<String, Double> values = new LinkedHashMap<>();
    for (Measurement measurement : meter.measure()) {
      values.put(measurement.getStatistic().name(), value(measurement));
    }
    return new MeterReading(
        id.getName(),
        id.getType().name(),
        Objects.requireNonNullElse(id.getBaseUnit(), ""),
        Objects.requireNonNullElse(id.getDescription(), ""),
        tags,
        values);
  }

  /** The value; NaN if the program's function throws, as Micrometer does for gauges. */
  private static double value(Measurement measurement) {
    try {
      return measurement.getValue();
    } catch (RuntimeException e) {
      return Double.NaN;
    }
  }
}
