package org.fmi.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.fmi.jobsim.SimulatedJob;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Kills a rank once in an {@link FmiTest}, when it begins an iteration of {@link
 * org.fmi.Fmi#loop(long, org.fmi.LoopBody, Object...)}; with several loops, in the first one that
 * reaches the iteration.
 *
 * <p>The rank's method ends in that call, and starts again on the same node as the replacement:
 * with the same test instance and the same statics, which a new process would not have. The other
 * ranks roll back to the last checkpoint; before the first checkpoint, and outside of loops, their
 * methods start again, too. The {@code finally} blocks of a killed method run when the job is over.
 * A test whose rank never begins that iteration fails.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(KillRank.List.class)
@ExtendWith(FmiExtension.class)
public @interface KillRank {
  /** Replaces an iteration: after a loop, in the first call that communicates. */
  long AFTER_LOOP = SimulatedJob.Kill.AFTER_LOOP;

  /**
   * The rank.
   *
   * @return less than the number of ranks
   */
  int rank();

  /**
   * The iteration, counted from 0.
   *
   * @return 0 or more, or {@link #AFTER_LOOP}
   */
  long iteration();

  /** Several kills. */
  @Documented
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ExtendWith(FmiExtension.class)
  @interface List {
    /**
     * The kills.
     *
     * @return in any order
     */
    KillRank[] value();
  }
}
