package org.fmi.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes quantities with units, such as {@code 90s}, {@code 50y} and {@code 4GB/s}. */
public enum Quantity {
  /** In seconds. */
  TIME("a time", "90s, 15min, 2h, 30d or 50y"),
  /** In bytes. */
  BYTES("a size", "800kB, 64MB or 6GB"),
  /** In bytes per second. */
  RATE("a rate", "500MB/s, 4GB/s or 1Gbit/s"),
  /** Per second. */
  FREQUENCY("a frequency", "2.13e-6/s or 5/s"),
  /** From 0 to 1. */
  SHARE("a share", "5% or 12.5%"),
  /** A whole number. */
  COUNT("a whole number", "1000 or 1e3"),
  /** Any number. */
  FACTOR("a number", "6 or 0.5");

  private static final Pattern TEXT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?(?:e-?[0-9]+)?)(.*)");

  private static final int MOST_IN_RANGE = 1000;

  private record Unit(String name, double size) {}

  private final String what;
  private final String examples;

  Quantity(String what, String examples) {
    this.what = what;
    this.examples = examples;
  }

  /** Quantities are written in the last one of which they have one. */
  private List<Unit> units() {
    return switch (this) {
      case TIME ->
          List.of(
              new Unit("us", 1e-6),
              new Unit("ms", 1e-3),
              new Unit("s", 1),
              new Unit("min", 60),
              new Unit("h", 3600),
              new Unit("d", 86400),
              new Unit("y", 365 * 86400.0));
      case BYTES ->
          List.of(
              new Unit("B", 1),
              new Unit("kB", 1e3),
              new Unit("MB", 1e6),
              new Unit("GB", 1e9),
              new Unit("TB", 1e12),
              new Unit("PB", 1e15));
      case RATE ->
          List.of(
              new Unit("Mbit/s", 125e3),
              new Unit("Gbit/s", 125e6),
              new Unit("kB/s", 1e3),
              new Unit("MB/s", 1e6),
              new Unit("GB/s", 1e9),
              new Unit("TB/s", 1e12));
      case FREQUENCY -> List.of(new Unit("/s", 1));
      case SHARE -> List.of(new Unit("%", 0.01));
      case COUNT, FACTOR -> List.of(new Unit("", 1));
    };
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
    double value = Double.NaN;
    if (matcher.matches()) {
      String name = matcher.group(2).strip();
      for (Unit unit : units()) {
        if (unit.name.equals(name)) {
          value = Double.parseDouble(matcher.group(1)) * unit.size;
        }
      }
    }
    boolean whole = this != COUNT || value == Math.rint(value);
    if (!(value >= least && value <= most) || !whole) {
      throw new IllegalArgumentException(
          "%s %s: must be %s from %s to %s, as in %s"
              .formatted(option, text, what, format(least), format(most), examples));
    }
    return value;
  }

  /**
   * Reads several quantities, such as {@code 100,400}; {@code 100..1000} is each multiple of 100 up
   * to 1000.
   *
   * @throws IllegalArgumentException as {@link #parse} does
   */
  public List<Double> parseList(String option, String text, double least, double most) {
    List<Double> values = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      int dots = part.indexOf("..");
      if (dots < 0) {
        values.add(parse(option, part, least, most));
        continue;
      }
      double first = parse(option, part.substring(0, dots), least, most);
      double last = parse(option, part.substring(dots + 2), first, most);
      if (last > MOST_IN_RANGE * first) {
        throw new IllegalArgumentException(
            "%s %s: has more than %s values; begin with a greater one"
                .formatted(option, part, MOST_IN_RANGE));
      }
      for (int i = 1; i * first <= last; i++) {
        values.add(i * first);
      }
    }
    return values;
  }

  /** Returns the value with three digits, in the greatest unit that it reaches. */
  public String format(double value) {
    if (this == COUNT) {
      return String.format(Locale.ROOT, "%,d", (long) value);
    }
    Unit best = units().getFirst();
    for (Unit unit : units()) {
      best = value >= unit.size ? unit : best;
    }
    boolean apart = Character.isLetter(best.name.isEmpty() ? ' ' : best.name.charAt(0));
    return digits(value / best.size) + (apart ? " " : "") + best.name;
  }

  private static String digits(double number) {
    double size = Math.abs(number);
    if (size >= 100 || number == Math.rint(number)) {
      return String.format(Locale.ROOT, "%,.0f", number);
    }
    return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", number);
  }
}
