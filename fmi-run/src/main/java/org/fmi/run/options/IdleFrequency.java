package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;

/** Reads the frequency of cores whose ranks wait in a recovery. */
final class IdleFrequency {
  /** Slower than any core: the lowest possible frequency. */
  private static final int LEAST = 1;

  private static final int MOST = 100_000;

  private IdleFrequency() {}

  /**
   * Returns the maximum in MHz; 0 for no limit.
   *
   * @param bind whether ranks are bound to cores
   */
  static int megahertz(boolean bind, Settings settings) throws UsageException {
    Value value = settings.get(Setting.IDLE_FREQUENCY);
    if (value == null || value.texts().getFirst().equals("off")) {
      return 0;
    }
    // A site's file may set it for jobs with bound ranks.
    if (!bind && value.source() == 0) {
      throw new UsageException(
          value.origin() + ": ranks that are not bound do not own cores; use --bind core");
    }
    String text = value.texts().getFirst();
    int megahertz = text.equals("min") ? LEAST : number(text);
    if (megahertz < LEAST || megahertz > MOST) {
      throw new UsageException(
          value.origin()
              + " "
              + text
              + ": not off, min, or a whole number of MHz from "
              + LEAST
              + " to "
              + MOST);
    }
    return bind ? megahertz : 0;
  }

  private static int number(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
