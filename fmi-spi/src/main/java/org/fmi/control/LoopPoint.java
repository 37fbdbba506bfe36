package org.fmi.control;

import java.util.Comparator;

/**
 * A place in the program where all ranks can take a checkpoint, ordered as a rank reaches them.
 *
 * @param loop the loop's number, from 0
 * @param iteration the next iteration
 * @param last whether it is the end of the loop, which comes after the beginning of that iteration
 */
public record LoopPoint(long loop, long iteration, boolean last) implements Comparable<LoopPoint> {
  private static final Comparator<LoopPoint> ORDER =
      Comparator.comparingLong(LoopPoint::loop)
          .thenComparingLong(LoopPoint::iteration)
          .thenComparing(LoopPoint::last);

  @Override
  public int compareTo(LoopPoint other) {
    return ORDER.compare(this, other);
  }

  /** Whether a rank at this place has reached or passed the other place. */
  public boolean reaches(LoopPoint other) {
    return compareTo(other) >= 0;
  }
}
