package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;

/** Says how fast cores run whose ranks wait in a recovery. */
final class IdleFrequency {
  /** Slower than any core: as slowly as it can. */
  private static final int LEAST = 1;

  private static final int MOST = 100_000;

  private IdleFrequency() {}

  /**
   * Megahertz at most; 0 for no limit.
   *
   * @param bind whether ranks are bound to cores
   */
  static int megahertz(boolean bind, Settings settings) throws UsageException {
    Value value = settings.get(Setting.IDLE_FREQUENCY);
    if (value == null || value.texts().getFirst().equals("off")) {
      return 0;
    }
    // A site's file may have one for those jobs that are bound.
    if (!bind && value.source() == 0) {
      throw new UsageException(
          value.origin()
              + ": ranks that are not bound have no cores of their own; use --bind core");
    }
    String text = value.texts().getFirst();
    int megahertz = text.equals("min") ? LEAST : number(text);
    if (megahertz < LEAST || megahertz > MOST) {
      throw new UsageException(
          value.origin()
              + " "
              + text
              + ": neither off, min, nor a whole number of megahertz from "
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
