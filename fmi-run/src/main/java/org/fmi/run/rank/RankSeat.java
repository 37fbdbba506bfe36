package org.fmi.run.rank;

import java.util.concurrent.atomic.AtomicBoolean;
import org.fmi.control.JobLink;
import org.fmi.job.control.ToRank;
import org.fmi.spi.RankConfig;

/**
 * This process's place in a job, until {@code Fmi.init} takes it. Belongs to the program's main
 * thread and all threads that it starts.
 */
final class RankSeat {
  private static final InheritableThreadLocal<RankSeat> SEAT = new InheritableThreadLocal<>();

  private final RankConfig config;
  private final int[] ownCore;
  private final JobLink link;
  private final AtomicBoolean taken = new AtomicBoolean();

  RankSeat(ToRank.Assign assignment, JobLink link) {
    this.config = assignment.config();
    this.ownCore = assignment.ownCore();
    this.link = link;
  }

  /** Makes it the seat of this thread and those it starts. */
  void offer() {
    SEAT.set(this);
  }

  /**
   * Takes the seat of this thread.
   *
   * @throws IllegalStateException if there is none, or it is taken
   */
  static RankSeat take() {
    RankSeat seat = SEAT.get();
    if (seat == null) {
      throw new IllegalStateException(
          "this process was not started by fmirun: start the program with 'fmirun -n N app.jar'");
    }
    if (!seat.taken.compareAndSet(false, true)) {
      throw new IllegalStateException("Fmi.init was called before in this process");
    }
    return seat;
  }

  RankConfig config() {
    return config;
  }

  /** The core that its thread has to itself; empty if there is none. */
  int[] ownCore() {
    return ownCore;
  }

  JobLink link() {
    return link;
  }
}
