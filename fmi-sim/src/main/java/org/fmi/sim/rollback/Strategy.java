package org.fmi.sim.rollback;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The hosts that roll back to a checkpoint in memory after a failure. */
public enum Strategy {
  /** All hosts. */
  GLOBAL,
  /** Only the failed hosts; the other hosts resend their messages out of a log. */
  LOCAL,
  /**
   * The failed hosts, helped by the hosts that their data came from, for as long as they are
   * needed; all other hosts wait.
   */
  FLOW,
  /** The same, but all helpers compute as much as the failed hosts (Alg. 1). */
  FLOW_PAPER;

  /** Returns the name in options, such as {@code flow-paper}. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the names that options may have. */
  public static List<String> options() {
    return Arrays.stream(values()).map(Strategy::option).toList();
  }

  /** Returns the strategy that an option names. */
  public static Strategy of(String option) {
    return valueOf(option.replace('-', '_').toUpperCase(Locale.ROOT));
  }

  /** Returns the number of runs: {@link #GLOBAL} always runs, as the baseline of the other ones. */
  public static int runs(List<Strategy> chosen) {
    return chosen.size() + (chosen.contains(GLOBAL) ? 0 : 1);
  }
}
