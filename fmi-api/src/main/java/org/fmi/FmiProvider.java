package org.fmi;

/**
 * Makes the runtime that {@link Fmi#init} finds through {@link java.util.ServiceLoader}. Programs
 * do not use it.
 */
public interface FmiProvider {
  /**
   * See {@link Fmi#init}.
   *
   * @param args those of {@code main}
   * @return this rank's view of the job
   */
  Fmi init(String... args);
}
