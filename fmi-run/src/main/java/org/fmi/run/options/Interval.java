package org.fmi.run.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.run.options.Settings.Value;
import org.fmi.spi.CheckpointInterval;

/** Reads the checkpoint interval: a number of iterations, or a time. */
final class Interval {
  private static final Pattern ITERATIONS = Pattern.compile("\\d{1,10}");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)(ms|s|min|h)");

  private static final double LEAST_SECONDS = 0.001;

  private Interval() {}

  static CheckpointInterval read(Value value) throws UsageException {
    String text = value.texts().getFirst();
    Matcher time = TIME.matcher(text);
    if (time.matches()) {
      double seconds = Double.parseDouble(time.group(1)) * unit(time.group(2));
      if (seconds >= LEAST_SECONDS) {
        return new CheckpointInterval.ByTime(seconds);
      }
    } else if (ITERATIONS.matcher(text).matches()) {
      long iterations = Long.parseLong(text);
      if (iterations >= 1 && iterations <= Integer.MAX_VALUE) {
        return new CheckpointInterval.Every(iterations);
      }
    }
    throw new UsageException(
        "%s %s: not a whole number of at least 1, nor a time of at least 1ms; "
                .formatted(value.origin(), text)
            + "write --interval 100 for iterations, or --interval 30s (ms, s, min, h) for a time");
  }

  private static double unit(String name) {
    return switch (name) {
      case "ms" -> 1e-3;
      case "s" -> 1;
      case "min" -> 60;
      default -> 3600;
    };
  }
}
