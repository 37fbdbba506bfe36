package org.fmi.bench.papers;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.sim.Quantity;
import org.jspecify.annotations.Nullable;

/** The options of one figure, each a quantity with a range and a default. */
final class Options {
  private static final List<String> PLACES = List.of("--csv", "--plot");

  private final Map<String, String> given = new HashMap<>();
  private final List<String> known = new ArrayList<>(PLACES);

  /** Options and their values, in turns. */
  Options(List<String> args) {
    for (int i = 0; i < args.size(); i += 2) {
      if (i + 1 == args.size()) {
        throw new IllegalArgumentException(args.get(i) + " needs a value");
      }
      given.put(args.get(i), args.get(i + 1));
    }
  }

  /** Its value, or its default. */
  double get(String name, Quantity quantity, double least, double most, String otherwise) {
    known.add(name);
    return quantity.parse(name, given.getOrDefault(name, otherwise), least, most);
  }

  int count(String name, double least, double most, String otherwise) {
    return (int) get(name, Quantity.COUNT, least, most, otherwise);
  }

  /** Several of them, each once. */
  List<Double> list(String name, Quantity quantity, double least, double most, String otherwise) {
    known.add(name);
    return quantity.parseList(name, given.getOrDefault(name, otherwise), least, most).stream()
        .distinct()
        .toList();
  }

  /** One name, out of those that are valid. */
  String name(String name, List<String> valid, String otherwise) {
    List<String> values = names(name, valid, otherwise);
    if (values.size() > 1) {
      throw new IllegalArgumentException(name + " has one value: " + String.join(" or ", valid));
    }
    return values.getFirst();
  }

  /** Several names, out of those that are valid, each once. */
  List<String> names(String name, List<String> valid, String otherwise) {
    known.add(name);
    List<String> values = List.of(given.getOrDefault(name, otherwise).split(",", -1));
    for (String value : values) {
      if (!valid.contains(value)) {
        throw new IllegalArgumentException(
            name + " " + value + ": must be one of " + String.join(", ", valid));
      }
    }
    return values.stream().distinct().toList();
  }

  /** The file or folder that was given; null if none was. */
  @Nullable String place(String name) {
    return given.get(name);
  }

  /** Refuses what nobody has asked for. */
  void requireKnown() {
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            name + ": no such option; there are " + String.join(", ", known));
      }
    }
  }
}
