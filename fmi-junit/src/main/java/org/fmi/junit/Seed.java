package org.fmi.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Fixes the seed of an {@link FmiTest}, which otherwise is fresh in each run. It determines the
 * order in which ranks run, delays, and the checkpoint interval.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FmiExtension.class)
public @interface Seed {
  /**
   * The seed.
   *
   * @return the seed from the message of a failed test
   */
  long value();
}
