package org.fmi.run.simulate;

import java.util.List;
import org.fmi.run.options.Nearest;
import org.fmi.sim.failures.FailureMix;
import picocli.CommandLine.Model.OptionSpec;

/** The option for nodes that fail together. */
final class Mixes {
  private static final List<String> NAMES = List.of("single", "tsubame2");

  private Mixes() {}

  static OptionSpec option() {
    return OptionSpec.builder("--failures")
        .type(String.class)
        .paramLabel("MIX")
        .defaultValue("single")
        .description(
            "Nodes that fail together: 'single', one node at a time; 'tsubame2', nodes, power"
                + " supplies (4 nodes), switches (16), racks (32) and all nodes, in the proportions"
                + " of TSUBAME 2.0. Default: single.")
        .build();
  }

  static FailureMix of(OptionSpec option) {
    String name = option.getValue();
    return switch (name) {
      case "single" -> FailureMix.single();
      case "tsubame2" -> FailureMix.tsubame2();
      default ->
          throw new IllegalArgumentException(
              "--failures "
                  + name
                  + ": must be one of "
                  + String.join(", ", NAMES)
                  + Nearest.question(name, NAMES));
    };
  }
}
