package org.fmi.run.simulate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.fmi.sim.scale.ServiceTimes;

/**
 * Measurements of a real run: the time of each step, and the total time of start and recovery for
 * comparison. In {@code service-times.properties}, with the command that made it.
 */
final class Calibration {
  private static final String FILE = "service-times.properties";

  private final Properties values = new Properties();

  Calibration() {
    try (InputStream file = Calibration.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is missing");
      }
      values.load(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the cores of the machine that it was made on. */
  int cores() {
    return (int) get("cores");
  }

  /**
   * Returns the time of a step of a job in seconds.
   *
   * @param ranks 4 or 64
   * @param what a step
   */
  double measured(int ranks, String what) {
    return get("measured." + ranks + "." + what);
  }

  ServiceTimes times(double event, double message, double oneByte, double oneWay) {
    return new ServiceTimes(
        get("launch"),
        get("daemon"),
        get("process"),
        get("standby"),
        get("join"),
        get("connect"),
        get("run"),
        event,
        message,
        oneByte,
        oneWay,
        get("notice"),
        get("hop"),
        get("node-lost"));
  }

  private double get(String key) {
    String value = values.getProperty(key);
    if (value == null) {
      throw new IllegalStateException(key + " is missing in " + FILE);
    }
    return Double.parseDouble(value);
  }
}
