package org.fmi.core.recovery;

import java.util.function.BooleanSupplier;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/** Knows whether the program's own code has thrown, and tells the job of it before all else. */
final class ProgramFailure {
  private final JobLink link;
  private final BooleanSupplier unwinding;
  private boolean begun;

  /** The job has the stack trace. */
  private boolean shown;

  /**
   * @param unwinding whether an exception is on its way through the callers of this thread
   */
  ProgramFailure(JobLink link, BooleanSupplier unwinding) {
    this.link = link;
    this.unwinding = unwinding;
  }

  /** Whether it was told. */
  boolean begun() {
    return begun;
  }

  /** Whether it was told, or an exception is being thrown that is not known here yet. */
  boolean underWay() {
    return begun || unwinding.getAsBoolean();
  }

  /**
   * Tells the job, which has heard it when this returns.
   *
   * @param loop that the program is in, if any
   * @param thrown null if it is not known yet; only the first one counts
   */
  void tell(@Nullable Loop loop, @Nullable Throwable thrown) {
    if (shown || (begun && thrown == null)) {
      return;
    }
    begun = true;
    shown = thrown != null;
    long number = loop == null ? RankMessage.Failed.NO_LOOP : loop.number;
    long iteration = loop == null ? RankMessage.Failed.NO_LOOP : loop.iteration;
    link.send(
        thrown == null
            ? new RankMessage.Failed(number, iteration, "")
            : RankMessage.Failed.of(number, iteration, thrown));
    link.flush();
  }
}
