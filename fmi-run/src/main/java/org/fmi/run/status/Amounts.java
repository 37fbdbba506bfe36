package org.fmi.run.status;

import java.util.Locale;

/** Writes times and sizes for a person. */
public final class Amounts {
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Amounts() {}

  /** Such as "0.4 s", "31 s", "12 min", "3 h 05 min", "2 d 7 h". */
  public static String duration(double seconds) {
    long s = Math.round(seconds);
    if (seconds < 9.95) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    } else if (s < 2 * MINUTE) {
      return s + " s";
    } else if (s < 2 * HOUR) {
      return Math.round(seconds / MINUTE) + " min";
    } else if (s < 2 * DAY) {
      return String.format(Locale.ROOT, "%d h %02d min", s / HOUR, s % HOUR / MINUTE);
    } else {
      return s / DAY + " d " + s % DAY / HOUR + " h";
    }
  }

  /** Such as "512 B", "4.0 KiB", "64 MiB". */
  public static String bytes(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double) bytes;
    int unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 || value >= 9.95
        ? Math.round(value) + " " + units[unit]
        : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }

  /** Three digits at most, such as "0.123", "35.2", "4120". */
  static String rate(double perSecond) {
    int digits = perSecond >= 99.5 ? 0 : perSecond >= 9.95 ? 1 : perSecond >= 0.995 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + digits + "f", perSecond);
  }

  /** "1 rank", "2 ranks". */
  static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
