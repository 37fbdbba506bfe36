package org.fmi.provider;

import org.fmi.Fmi;

/** Makes the runtime that {@link Fmi#init} finds through {@link java.util.ServiceLoader}. */
public interface FmiProvider {
  /**
   * Joins the job, as {@link Fmi#init} describes.
   *
   * @param args those of {@code main}
   * @return this rank's view of the job
   */
  Fmi init(String... args);
}
