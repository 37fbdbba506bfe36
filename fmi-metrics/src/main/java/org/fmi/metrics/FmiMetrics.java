package org.fmi.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import org.fmi.Fmi;
import org.fmi.control.Metered;

/** Gives a program a registry for meters of its own. */
public final class FmiMetrics {
  private FmiMetrics() {}

  /**
   * The registry for the program's own meters. {@code fmirun} shows them beside FMI's, each with
   * its rank: {@code --metrics-port} for Prometheus, {@code --metrics-otlp} for OTLP. They are read
   * once per second; meters beyond 200 of a rank are left out. They are no part of a loop's state:
   * what is counted in iterations that a failure repeats is counted again. Any thread, at any time.
   *
   * @param fmi this rank's view of the job
   * @return the same object at each call
   * @throws IllegalArgumentException if {@code fmi} was not made by {@link Fmi#init} or a test of
   *     fmi-junit
   */
  public static MeterRegistry of(Fmi fmi) {
    if (!(fmi instanceof Metered metered)) {
      throw new IllegalArgumentException(
          fmi.getClass().getName() + " shows no meters: give the Fmi that Fmi.init has returned");
    }
    return ((ReadRegistry) metered.meters(ReadRegistry::new)).registry();
  }
}
