package org.fmi.control;

import java.util.List;

/** Meters of a program, which a rank reports with its own counts. */
public interface MeterSource {
  /** Readings of the last second. Any thread; runs no code of the program. */
  List<MeterReading> readings();
}
