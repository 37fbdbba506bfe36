package org.fmi.core.loop;

import java.util.function.BooleanSupplier;
import org.fmi.Rollback;
import org.fmi.control.JobLink;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/** Reports an exception of the program's code to the job, before anything else happens. */
public final class ProgramFailure {
  private final JobLink link;
  private final BooleanSupplier unwinding;
  private boolean begun;

  /** Position at which the exception was noticed: it may pass close before it is known. */
  private long number = RankMessage.Failed.NO_LOOP;

  private long iteration = RankMessage.Failed.NO_LOOP;

  /** Whether the job has the stack trace. */
  private boolean reportedTrace;

  /**
   * @param unwinding whether an exception is on its way through the callers of this thread
   */
  public ProgramFailure(JobLink link, BooleanSupplier unwinding) {
    this.link = link;
    this.unwinding = unwinding;
  }

  /** Whether a failure was reported. */
  public boolean begun() {
    return begun;
  }

  /** Whether a failure was reported, or an exception is being thrown that is not known here yet. */
  public boolean underWay() {
    return begun || unwinding.getAsBoolean();
  }

  /**
   * Reports a failure; the job has received it when this returns.
   *
   * @param loop the loop that the program is in, if any
   * @param thrown null if it is not known yet; only the first one counts
   */
  public void report(@Nullable Loop loop, @Nullable Throwable thrown) {
    if (reportedTrace || (begun && thrown == null)) {
      return;
    }
    if (!begun && loop != null) {
      number = loop.number;
      iteration = loop.iteration;
    }
    begun = true;
    reportedTrace = thrown != null;
    link.send(
        thrown == null
            ? new RankMessage.Failed(number, iteration, "")
            : RankMessage.Failed.of(number, iteration, thrown));
    link.flush();
  }

  /** Runs work that may call the program's code, whose exceptions end the program. */
  public void watch(Loop loop, Runnable work) {
    try {
      work.run();
    } catch (Rollback e) {
      throw e;
    } catch (RuntimeException | Error e) {
      report(loop, e);
      throw e;
    }
  }
}
