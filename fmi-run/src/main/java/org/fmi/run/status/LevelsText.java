package org.fmi.run.status;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.fmi.job.FlushInterval;
import org.fmi.run.Amounts;

/** A summary of checkpoints in memory and in files, for a person. */
public final class LevelsText {
  private LevelsText() {}

  /**
   * Returns a line for each level.
   *
   * @param mtbfInMemory mean time between failures, in seconds
   * @param mtbfOnFiles mean time between failures that only files survive
   */
  public static List<String> lines(
      FlushInterval measured, double mtbfInMemory, double mtbfOnFiles) {
    List<String> lines = new ArrayList<>();
    lines.add("in memory: " + line(measured.inMemory(), mtbfInMemory));
    long failed = measured.failed();
    lines.add(
        "in files: "
            + line(measured.onFiles(), mtbfOnFiles)
            + (failed == 0 ? "" : "; " + failed + " could not be written"));
    return lines;
  }

  private static String line(FlushInterval.Account account, double mtbf) {
    String text = Amounts.count(account.count(), "checkpoint");
    OptionalDouble every = account.every();
    if (every.isEmpty()) {
      return text;
    }
    text += ", one per %s costs %s".formatted(time(every.getAsDouble()), time(account.cost()));
    OptionalDouble lost = account.lost(mtbf);
    return lost.isEmpty()
        ? text
        : text
            + "; with one failure per %s, the model predicts %s %% of the time lost"
                .formatted(time(mtbf), Amounts.rate(100 * lost.getAsDouble()));
  }

  private static String time(double seconds) {
    return seconds < 1
        ? Amounts.rate(1000 * seconds) + " ms"
        : seconds < 10 ? Amounts.rate(seconds) + " s" : Amounts.duration(seconds);
  }
}
