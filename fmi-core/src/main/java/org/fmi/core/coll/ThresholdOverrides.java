package org.fmi.core.coll;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Overrides of {@link Thresholds} in one process: {@code NAME=number,NAME=number}. All ranks of a
 * job need the same overrides.
 */
final class ThresholdOverrides {
  static final String PROPERTY = "fmi.thresholds";

  private final Map<String, Long> values = new HashMap<>();
  private final TreeSet<String> known = new TreeSet<>();

  ThresholdOverrides(String text) {
    if (text.isEmpty()) {
      return;
    }
    for (String pair : text.split(",", -1)) {
      String[] parts = pair.split("=", 2);
      if (parts.length < 2) {
        throw refusal("'" + pair + "' is not NAME=number");
      }
      if (values.put(parts[0], number(pair, parts[1])) != null) {
        throw refusal(parts[0] + " is given twice");
      }
    }
  }

  private static long number(String pair, String text) {
    try {
      long value = Long.parseLong(text);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Refused below, as a negative number is.
    }
    throw refusal(pair + ": '" + text + "' is not a number of 0 or more");
  }

  /** The value of a threshold: {@code normal} unless overridden. */
  long of(String name, long normal) {
    known.add(name);
    return values.getOrDefault(name, normal);
  }

  /** Refuses unknown names. Called after {@link #of} for all thresholds. */
  void refuseUnknown() {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw refusal("'" + name + "' is not a threshold; there are " + String.join(", ", known));
      }
    }
  }

  private static IllegalArgumentException refusal(String what) {
    return new IllegalArgumentException(PROPERTY + ": " + what);
  }
}
