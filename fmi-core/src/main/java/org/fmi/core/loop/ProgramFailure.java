package org.fmi.core.loop;

import java.util.function.BooleanSupplier;
import org.fmi.Rollback;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/** Knows whether the program's own code has thrown, and tells the job of it before all else. */
public final class ProgramFailure {
  private final JobLink link;
  private final BooleanSupplier unwinding;
  private boolean begun;

  /** Where it began: what is thrown passes close before it is known. */
  private long number = RankMessage.Failed.NO_LOOP;

  private long iteration = RankMessage.Failed.NO_LOOP;

  /** The job has the stack trace. */
  private boolean shown;

  /**
   * @param unwinding whether an exception is on its way through the callers of this thread
   */
  public ProgramFailure(JobLink link, BooleanSupplier unwinding) {
    this.link = link;
    this.unwinding = unwinding;
  }

  /** Whether it was reported. */
  public boolean begun() {
    return begun;
  }

  /** Whether it was reported, or an exception is being thrown that is not known here yet. */
  public boolean underWay() {
    return begun || unwinding.getAsBoolean();
  }

  /**
   * Tells the job, which has heard it when this returns.
   *
   * @param loop that the program is in, if any
   * @param thrown null if it is not known yet; only the first one counts
   */
  public void tell(@Nullable Loop loop, @Nullable Throwable thrown) {
    if (shown || (begun && thrown == null)) {
      return;
    }
    if (!begun && loop != null) {
      number = loop.number;
      iteration = loop.iteration;
    }
    begun = true;
    shown = thrown != null;
    link.send(
        thrown == null
            ? new RankMessage.Failed(number, iteration, "")
            : RankMessage.Failed.of(number, iteration, thrown));
    link.flush();
  }

  /** Does something that may run the program's own code: what that throws ends the program. */
  public void watch(Loop loop, Runnable work) {
    try {
      work.run();
    } catch (Rollback e) {
      throw e;
    } catch (RuntimeException | Error e) {
      tell(loop, e);
      throw e;
    }
  }
}
