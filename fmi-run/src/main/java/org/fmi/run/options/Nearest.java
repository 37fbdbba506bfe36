package org.fmi.run.options;

import java.util.Collection;
import java.util.Locale;

/** Finds the valid name for a misspelt one. */
public final class Nearest {
  /** Two letters of any name may be wrong, and of a long name one in this many. */
  private static final int WRONG_OF = 3;

  private Nearest() {}

  /**
   * Returns a question for the end of a message, such as "; did you mean share?". Empty if no valid
   * name is near, because an unrelated suggestion is worse than none.
   */
  public static String question(String name, Collection<String> valid) {
    String best = "";
    int least = Integer.MAX_VALUE;
    String written = plain(name);
    for (String candidate : valid) {
      int distance = distance(written, plain(candidate));
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return least == Integer.MAX_VALUE ? "" : "; did you mean " + best + "?";
  }

  /** Dashes, underscores and capitals are easily confused. */
  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-').replaceFirst("^-+", "");
  }

  /** Returns the distance of two names; {@link Integer#MAX_VALUE} if they are unrelated. */
  private static int distance(String name, String candidate) {
    if (name.isEmpty() || name.equals(candidate)) {
      return name.isEmpty() ? Integer.MAX_VALUE : 0;
    }
    if (candidate.startsWith(name)) {
      // A longer name with this prefix is nearer than any other spelling.
      return 1;
    }
    int edits = edits(name, candidate);
    return edits <= Math.max(2, name.length() / WRONG_OF)
            && edits < Math.max(name.length(), candidate.length())
        ? edits
        : Integer.MAX_VALUE;
  }

  /**
   * Returns the number of insertions, deletions and replacements that turn one into the other
   * (Levenshtein).
   */
  private static int edits(String from, String to) {
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
