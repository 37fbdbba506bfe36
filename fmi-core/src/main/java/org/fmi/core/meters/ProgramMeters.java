package org.fmi.core.meters;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.fmi.control.MeterReading;
import org.jspecify.annotations.Nullable;

/**
 * The program's own meters, if it has any. Micrometer is loaded when they are first requested.
 * Thread-safe.
 */
public final class ProgramMeters {
  private volatile @Nullable ReadRegistry registry;

  /** The registry for the program's meters; always the same. */
  public synchronized MeterRegistry registry() {
    ReadRegistry known = registry;
    if (known == null) {
      known = new ReadRegistry();
      registry = known;
    }
    return known.registry();
  }

  /** Readings of the last second; runs no code of the program. */
  public List<MeterReading> readings() {
    ReadRegistry known = registry;
    return known == null ? List.of() : known.readings();
  }
}
