package org.fmi.run.options;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.job.FaultSpec;
import org.fmi.spi.FaultPoint;

/** Reads failures to inject, such as {@code rank3@40}, {@code node1@40:encode}. */
final class Kills {
  private static final Pattern FORM =
      Pattern.compile("(rank|node|daemon)(\\d{1,9})@(?:(\\d{1,18})(?::([a-z]+))?|([a-z]+))");

  private Kills() {}

  static FaultSpec parse(String text, String origin, int ranks, int nodes) throws UsageException {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new UsageException(
          origin
              + " "
              + text
              + ": not a failure; write rankR@I, nodeM@I or daemonM@I, as in node1@40, or add"
              + " a place, as in rank1@40:encode or node1@close");
    }
    String who = matcher.group(1);
    int number = Integer.parseInt(matcher.group(2));
    int count = who.equals("rank") ? ranks : nodes;
    if (number >= count) {
      throw new UsageException(
          origin
              + " "
              + text
              + ": no such "
              + (who.equals("daemon") ? "node" : who)
              + " as "
              + number
              + "; they are numbered 0 to "
              + (count - 1));
    }
    long iteration = matcher.group(3) == null ? -1 : Long.parseLong(matcher.group(3));
    String place = matcher.group(4) != null ? matcher.group(4) : matcher.group(5);
    FaultPoint point = place == null ? FaultPoint.ITERATION : point(place, text, origin);
    if (iteration >= 0 && !point.isNumbered()) {
      throw new UsageException(
          origin
              + " "
              + text
              + ": "
              + place
              + " is outside of loops and has no iteration; write "
              + who
              + number
              + "@"
              + place);
    }
    return new FaultSpec(!who.equals("rank"), number, who.equals("daemon"), point, iteration);
  }

  private static FaultPoint point(String place, String text, String origin) throws UsageException {
    List<String> names =
        Arrays.stream(FaultPoint.values()).map(p -> p.name().toLowerCase(Locale.ROOT)).toList();
    if (!names.contains(place)) {
      throw new UsageException(
          origin
              + " "
              + text
              + ": no such place as "
              + place
              + "; use "
              + String.join(", ", names)
              + Nearest.question(place, names));
    }
    return FaultPoint.valueOf(place.toUpperCase(Locale.ROOT));
  }
}
