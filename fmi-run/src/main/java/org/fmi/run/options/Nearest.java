package org.fmi.run.options;

import java.util.Collection;

/** Finds the valid name that is nearest to a misspelt one. */
public final class Nearest {
  private Nearest() {}

  /** Returns the one of the valid names that is nearest; an empty one if there is none. */
  public static String to(String name, Collection<String> valid) {
    String best = "";
    int least = Integer.MAX_VALUE;
    for (String candidate : valid) {
      // A longer name that begins with it is nearer than any other spelling.
      int distance = candidate.startsWith(name) ? 1 : distance(name, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  /** Insertions, deletions and replacements that turn one into the other (Levenshtein). */
  private static int distance(String from, String to) {
    int[] previous = new int[to.length() + 1];
    int[] current = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
      }
      int[] swap = previous;
      previous = current;
      current = swap;
    }
    return previous[to.length()];
  }
}
