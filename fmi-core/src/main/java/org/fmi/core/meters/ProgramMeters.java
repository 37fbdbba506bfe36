package org.fmi.core.meters;

import java.util.List;
import java.util.function.Supplier;
import org.fmi.control.MeterReading;
import org.fmi.control.MeterSource;
import org.jspecify.annotations.Nullable;

/** The program's own meters, if it has any. Any thread. */
public final class ProgramMeters {
  private volatile @Nullable MeterSource source;

  /** The meters, which are made at the first call. */
  public synchronized MeterSource source(Supplier<? extends MeterSource> make) {
    MeterSource known = source;
    if (known == null) {
      known = make.get();
      source = known;
    }
    return known;
  }

  /** The readings of the last second; runs no code of the program. */
  public List<MeterReading> readings() {
    MeterSource known = source;
    return known == null ? List.of() : known.readings();
  }
}
