package org.fmi.run.tool;

import java.util.OptionalInt;

/**
 * The commands that people and scripts run again and again while a job runs, understood without the
 * library that parses all others: to set that up takes several times as long as their answer. What
 * is not understood here is left to it, and so are mistakes.
 */
final class ShortForms {
  private ShortForms() {}

  /** The status of a command that was run; empty if it is none of these. */
  static OptionalInt run(String... args) {
    if (args.length == 1 && args[0].equals("jobs")) {
      return OptionalInt.of(JobQuestions.listAll());
    }
    return args.length > 0 && args[0].equals("status") ? status(args) : OptionalInt.empty();
  }

  private static OptionalInt status(String... args) {
    String job = null;
    boolean json = false;
    boolean watch = false;
    for (int i = 1; i < args.length; i++) {
      switch (args[i]) {
        case "--json" -> json = true;
        case "--watch" -> watch = true;
        default -> {
          if (job != null || args[i].isEmpty() || args[i].startsWith("-")) {
            return OptionalInt.empty();
          }
          job = args[i];
        }
      }
    }
    return OptionalInt.of(JobQuestions.status(job, json, watch));
  }
}
