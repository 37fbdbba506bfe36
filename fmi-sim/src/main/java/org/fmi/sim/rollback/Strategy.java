package org.fmi.sim.rollback;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Who goes back to a checkpoint in memory after a failure. */
public enum Strategy {
  /** All hosts. */
  GLOBAL,
  /** Only those that have failed; the others send them again what they have sent, out of a log. */
  LOCAL,
  /**
   * Those that have failed, helped by those that their data came from, as far as these are needed;
   * the others wait.
   */
  FLOW,
  /** The same, where all that help compute as much as those that have failed (Alg. 1). */
  FLOW_PAPER;

  /** As options have it, such as {@code flow-paper}. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What options may say. */
  public static List<String> options() {
    return Arrays.stream(values()).map(Strategy::option).toList();
  }

  /** The one that an option names. */
  public static Strategy of(String option) {
    return valueOf(option.replace('-', '_').toUpperCase(Locale.ROOT));
  }

  /** How many are run for these: what others save is beside {@link #GLOBAL}, which always is. */
  public static int runs(List<Strategy> chosen) {
    return chosen.size() + (chosen.contains(GLOBAL) ? 0 : 1);
  }
}
