package org.fmi.core.captured;

import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.fmi.core.captured.Content.Elements;
import org.fmi.core.captured.Content.Parts;
import org.fmi.core.captured.Content.Thing;
import org.fmi.core.captured.Content.Unknown;
import org.fmi.core.captured.Content.Value;
import org.jspecify.annotations.Nullable;

/** Finds and describes differences between two observations of the same things. */
final class Changes {
  /** Differences beyond this number are counted, not listed. */
  private static final int MAX_LISTED = 3;

  private static final int MAX_VALUE_LENGTH = 40;

  /**
   * A thing in both observations. Its name is built only if it differs, as it may have 10,000
   * parts.
   */
  private record Pair(@Nullable Pair parent, String part, Thing first, Thing again) {
    String name(UnaryOperator<String> nameOfRoot) {
      Deque<String> parts = new ArrayDeque<>();
      for (Pair pair = this; pair != null; pair = pair.parent) {
        parts.push(pair.parent == null ? nameOfRoot.apply(pair.part) : pair.part);
      }
      return String.join("", parts);
    }
  }

  private final Deque<Pair> open = new ArrayDeque<>();
  private final List<String> listed = new ArrayList<>();
  private int found;

  private final UnaryOperator<String> nameOfRoot;

  private Changes(UnaryOperator<String> nameOfRoot) {
    this.nameOfRoot = nameOfRoot;
  }

  /**
   * Describes all differences in one sentence; empty if there are none.
   *
   * @param nameOfRoot gives the name of a root that differs or has a part that does
   */
  static String between(
      Map<String, Thing> first, Map<String, Thing> again, UnaryOperator<String> nameOfRoot) {
    Changes changes = new Changes(nameOfRoot);
    changes.compareParts(null, first, again);
    while (!changes.open.isEmpty()) {
      changes.compare(changes.open.pop());
    }
    String more =
        changes.found > changes.listed.size()
            ? " (and " + (changes.found - changes.listed.size()) + " more)"
            : "";
    return String.join("; ", changes.listed) + more;
  }

  /**
   * Compares common parts; a part found in only one observation is part of its owner's difference.
   */
  private void compareParts(
      @Nullable Pair parent, Map<String, Thing> first, Map<String, Thing> again) {
    for (Map.Entry<String, Thing> part : first.entrySet()) {
      Thing other = again.get(part.getKey());
      if (other != null) {
        open.add(new Pair(parent, part.getKey(), part.getValue(), other));
      }
    }
  }

  private void compare(Pair pair) {
    Content first = pair.first.content;
    Content again = pair.again.content;
    if (first instanceof Unknown || again instanceof Unknown) {
      return;
    }
    if (first instanceof Elements a && again instanceof Elements b && a.type().equals(b.type())) {
      compare(pair, a, b);
    } else if (first instanceof Parts a && again instanceof Parts b && a.type().equals(b.type())) {
      if (!a.parts().keySet().equals(b.parts().keySet())) {
        differs(pair, a.type(), size(a), size(b));
      }
      compareParts(pair, a.parts(), b.parts());
    } else if (!first.equals(again)) {
      differs(pair, "", describe(first), describe(again));
    }
  }

  private void compare(Pair pair, Elements a, Elements b) {
    if (a.length() != b.length()) {
      differs(pair, a.type(), "length " + a.length(), "length " + b.length());
    } else if (a.hash() != b.hash()) {
      Object one = a.copy();
      Object other = b.copy();
      if (one == null || other == null) {
        found(pair, ", " + a.type() + ", has different elements when repeated");
        return;
      }
      int at = 0;
      while (at < a.length() && Array.get(one, at).equals(Array.get(other, at))) {
        at++;
      }
      if (at
          < a.length()) { // otherwise NaNs differ in their bits, which the JVM does not guarantee
        differs(pair, a.type() + ", element " + at, Array.get(one, at), Array.get(other, at));
      }
    }
  }

  private static String size(Parts object) {
    return object.parts().size() + " elements";
  }

  private static String describe(Content content) {
    return switch (content) {
      case Value value -> shortened(String.valueOf(value.text()));
      case Elements elements -> elements.type();
      case Parts parts -> parts.type();
      case Unknown _ -> "unknown";
    };
  }

  private static String shortened(String text) {
    return text.length() <= MAX_VALUE_LENGTH ? text : text.substring(0, MAX_VALUE_LENGTH) + "...";
  }

  private void differs(Pair pair, String what, Object first, Object again) {
    String of = what.isEmpty() ? "" : ", " + what;
    found(pair, of + ": " + first + " the first time, " + again + " when repeated");
  }

  private void found(Pair pair, String change) {
    found++;
    if (listed.size() < MAX_LISTED) {
      listed.add(pair.name(nameOfRoot) + change);
    }
  }
}
