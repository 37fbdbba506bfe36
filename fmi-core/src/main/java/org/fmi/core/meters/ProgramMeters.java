package org.fmi.core.meters;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.fmi.control.MeterReading;
import org.jspecify.annotations.Nullable;

/**
 * The program's own meters, if it has any: Micrometer is loaded when they are asked for first. Any
 * thread.
 */
public final class ProgramMeters {
  private volatile @Nullable ReadRegistry registry;

  /** Where the program registers them; always the same. */
  public synchronized MeterRegistry registry() {
    ReadRegistry known = registry;
    if (known == null) {
      known = new ReadRegistry();
      registry = known;
    }
    return known.registry();
  }

  /** What they showed within the last second; does not run any code of the program. */
  public List<MeterReading> readings() {
    ReadRegistry known = registry;
    return known == null ? List.of() : known.readings();
  }
}
