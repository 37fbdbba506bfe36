package org.fmi.control;

import java.util.Map;

/**
 * A reading of one of the program's meters, in Micrometer's terms. Micrometer is not loaded here.
 *
 * @param type the name of its {@code Meter.Type}
 * @param unit its base unit; empty for none
 * @param description empty for none
 * @param values by the names of their {@code Statistic}s
 */
public record MeterReading(
    String name,
    String type,
    String unit,
    String description,
    Map<String, String> tags,
    Map<String, Double> values) {
  public MeterReading {
    tags = Map.copyOf(tags);
    values = Map.copyOf(values);
  }
}
