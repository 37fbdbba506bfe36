package org.fmi.job;

import java.util.Locale;
import org.fmi.spi.FaultPoint;

/**
 * A failure to inject, as named by {@code --kill}.
 *
 * @param node whether a whole node dies, not one rank
 * @param number the number of the rank or the node
 * @param daemon whether only the daemon of the node is killed (which kills the node)
 * @param point the place of the failure
 * @param iteration the iteration of the failure, -1 for any
 */
public record FaultSpec(
    boolean node, int number, boolean daemon, FaultPoint point, long iteration) {

  /** Returns the failure as {@code --kill} names it: {@code rank3@40:encode}. */
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
