package org.fmi.run;

import java.util.Locale;

/** Formats times and sizes for a person. */
public final class Amounts {
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Amounts() {}

  /** Formats a time, such as "0.4 s", "31 s", "12 min", "3 h 05 min", "2 d 7 h". */
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

  /** Formats a size, such as "512 B", "4.0 KiB", "64 MiB". */
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

  /** Formats a number with at most three digits, such as "0.123", "35.2", "4120". */
  public static String rate(double perSecond) {
    int digits = perSecond >= 99.5 ? 0 : perSecond >= 9.95 ? 1 : perSecond >= 0.995 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + digits + "f", perSecond);
  }

  /** Formats a count: "1 rank", "2 ranks". */
  public static String count(long number, String noun) {
    return count(number, noun, noun + "s");
  }

  /** Formats a count: "1 recovery", "2 recoveries". */
  public static String count(long number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }
}
