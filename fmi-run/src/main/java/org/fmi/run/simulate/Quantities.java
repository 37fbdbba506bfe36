package org.fmi.run.simulate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.fmi.sim.Quantity;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options of a simulation that are quantities, each with its range. */
final class Quantities {
  private record Range(Quantity quantity, double least, double most) {}

  private final CommandSpec command;
  private final Map<String, Range> ranges = new LinkedHashMap<>();

  Quantities(CommandSpec command) {
    this.command = command;
  }

  /** Adds a required option. */
  void required(String name, Quantity quantity, double least, double most, String description) {
    add(
        name,
        quantity,
        least,
        most,
        OptionSpec.builder(name).required(true).description(description));
  }

  /** Adds an option with a default. */
  void withDefault(
      String name, Quantity quantity, double least, double most, String value, String description) {
    add(
        name,
        quantity,
        least,
        most,
        OptionSpec.builder(name)
            .defaultValue(value)
            .description(description + " Default: " + value + "."));
  }

  /** Adds an optional option. */
  void optional(String name, Quantity quantity, double least, double most, String description) {
    add(name, quantity, least, most, OptionSpec.builder(name).description(description));
  }

  private void add(
      String name, Quantity quantity, double least, double most, OptionSpec.Builder option) {
    ranges.put(name, new Range(quantity, least, most));
    // picocli formats descriptions.
    String description = option.description()[0].replace("%", "%%");
    command.addOption(
        option.type(String.class).paramLabel(quantity.name()).description(description).build());
  }

  boolean has(String name) {
    return text(name) != null;
  }

  private @Nullable String text(String name) {
    return command.findOption(name).getValue();
  }

  /**
   * Returns the value of an option, which must have been given if it is optional.
   *
   * @throws IllegalArgumentException if it is outside of its range
   */
  double get(String name) {
    Range range = Objects.requireNonNull(ranges.get(name));
    String text = Objects.requireNonNull(text(name));
    return range.quantity.parse(name, text, range.least, range.most);
  }

  /** Returns the value like {@link #get}, or this one if it was not given. */
  double get(String name, double otherwise) {
    return has(name) ? get(name) : otherwise;
  }

  int whole(String name) {
    return (int) get(name);
  }
}
