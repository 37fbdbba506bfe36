package org.fmi.job;

import java.util.Locale;
import org.fmi.spi.FaultPoint;

/**
 * A failure to inject, as {@code --kill} names it.
 *
 * @param node whether a whole node is to die, and not one rank
 * @param number the rank's number, or the node's
 * @param daemon whether only the node's daemon is to be killed (and the node dies of that)
 * @param point where
 * @param iteration at which iteration, -1 for any
 */
public record FaultSpec(
    boolean node, int number, boolean daemon, FaultPoint point, long iteration) {

  /** As {@code --kill} names it: {@code rank3@40:encode}. */
  String kill() {
    String who = daemon ? "daemon" : node ? "node" : "rank";
    String place = point.name().toLowerCase(Locale.ROOT);
    String where =
        iteration < 0
            ? place
            : point == FaultPoint.ITERATION ? "" + iteration : iteration + ":" + place;
    return who + number + "@" + where;
  }
}
