package org.fmi.control;

import java.util.function.Supplier;

/** A rank that reports meters of its program. */
public interface Metered {
  /**
   * The program's meters. Any thread.
   *
   * @param make makes them, at the first call
   * @return the same object at each call
   */
  MeterSource meters(Supplier<? extends MeterSource> make);
}
