package org.fmi.sim;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes quantities with units, such as {@code 90s}, {@code 50y} and {@code 4GB/s}. */
public enum Quantity {
  /** In seconds. */
  TIME(
      "a time",
      "90s, 15min, 2h, 30d or 50y",
      units("us", 1e-6, "ms", 1e-3, "s", 1, "min", 60, "h", 3600, "d", 86400, "y", 365 * 86400.0)),
  /** In bytes. */
  BYTES(
      "a size",
      "800kB, 64MB or 6GB",
      units("B", 1, "kB", 1e3, "MB", 1e6, "GB", 1e9, "TB", 1e12, "PB", 1e15)),
  /** In bytes per second. */
  RATE(
      "a rate",
      "500MB/s, 4GB/s or 1Gbit/s",
      units("Mbit/s", 125e3, "Gbit/s", 125e6, "kB/s", 1e3, "MB/s", 1e6, "GB/s", 1e9, "TB/s", 1e12)),
  /** Per second. */
  FREQUENCY("a frequency", "2.13e-6/s or 5/s", units("/s", 1)),
  /** From 0 to 1. */
  SHARE("a share", "5% or 12.5%", units("%", 0.01)),
  /** A whole number. */
  COUNT("a whole number", "1000 or 1e3", units("", 1)),
  /** Any number. */
  FACTOR("a number", "6 or 0.5", units("", 1));

  private static final Pattern TEXT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?(?:e-?[0-9]+)?)(.*)");

  private final String what;
  private final String examples;

  /** Their names and sizes; quantities are written in the last one of which they have one. */
  private final Map<String, Double> units;

  Quantity(String what, String examples, Map<String, Double> units) {
    this.what = what;
    this.examples = examples;
    this.units = units;
  }

  private static Map<String, Double> units(Object... namesAndSizes) {
    Map<String, Double> units = new LinkedHashMap<>();
    for (int i = 0; i < namesAndSizes.length; i += 2) {
      units.put((String) namesAndSizes[i], ((Number) namesAndSizes[i + 1]).doubleValue());
    }
    return units;
  }

  /**
   * Reads a quantity.
   *
   * @param option whose value it is, for the message
   * @throws IllegalArgumentException if it is none, or outside of its range; says the range and how
   *     it is written
   */
  public double parse(String option, String text, double least, double most) {
    Matcher matcher = TEXT.matcher(text.strip());
    Double unit = matcher.matches() ? units.get(matcher.group(2).strip()) : null;
    double value = unit == null ? Double.NaN : Double.parseDouble(matcher.group(1)) * unit;
    boolean whole = this != COUNT || value == Math.rint(value);
    if (!(value >= least && value <= most) || !whole) {
      throw new IllegalArgumentException(
          "%s %s: must be %s from %s to %s, as in %s"
              .formatted(option, text, what, format(least), format(most), examples));
    }
    return value;
  }

  /** As people write it, in the greatest unit of which it has one, with three digits. */
  public String format(double value) {
    String unit = "";
    double size = 1;
    for (Map.Entry<String, Double> each : units.entrySet()) {
      if (unit.isEmpty() || value >= each.getValue()) {
        unit = each.getKey();
        size = each.getValue();
      }
    }
    if (this == COUNT) {
      return String.format(Locale.ROOT, "%,d", (long) value);
    }
    return digits(value / size)
        + (unit.isEmpty() || unit.equals("%") || unit.equals("/s") ? unit : " " + unit);
  }

  private static String digits(double number) {
    double size = Math.abs(number);
    if (size >= 100 || number == Math.rint(number)) {
      return String.format(Locale.ROOT, "%,.0f", number);
    }
    return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", number);
  }
}
