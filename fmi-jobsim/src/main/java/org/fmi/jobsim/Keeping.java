package org.fmi.jobsim;

import org.fmi.Comm;
import org.fmi.Op;

/** Makes communicators in the iterations of a loop and keeps them, one at a time, as its state. */
final class Keeping {
  private Keeping() {}

  /**
   * A turn of a loop: makes a communicator, uses it, makes another out of it, or frees it.
   *
   * @param kept has none at first
   * @return follows from what has been given to all members
   */
  static long turn(Comm world, Comm[] kept, long iteration, long value) {
    Comm before = kept[0];
    if (iteration % 4 == 1) {
      if (before != null) {
        before.close();
      }
      kept[0] = world.split(world.rank() % 2, -world.rank());
      return 0;
    }
    if (before == null) {
      return 0;
    }
    if (iteration % 4 == 3) {
      kept[0] = before.dup();
      before.close();
    }
    return sum(kept, value);
  }

  /** A sum over the members of the communicator that is kept, and its rank there. */
  static long sum(Comm[] kept, long value) {
    long[] sum = {value & 0xffff};
    kept[0].allReduce(sum, Op.SUM);
    return sum[0] + kept[0].rank();
  }
}
