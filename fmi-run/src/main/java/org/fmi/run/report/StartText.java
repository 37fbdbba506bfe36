package org.fmi.run.report;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.fmi.job.Groups;
import org.fmi.job.JobSpec;
import org.fmi.run.options.RunOptions;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.IntervalModel;

/** The settings chosen for a job, given or by default, as text. */
public final class StartText {
  private StartText() {}

  /** Returns them on one line. */
  public static String of(RunOptions options) {
    JobSpec spec = options.spec();
    int losses = Groups.carried(spec.placement(), spec.grouping().losses());
    List<String> transports = options.job().transports();
    return count(spec.size(), "rank")
        + ", "
        + options.where().nodes(spec.nodes().size())
        + ", transports "
        + (transports.isEmpty() ? "auto" : String.join(", ", transports))
        + switch (options.job().onFailure()) {
          case REPLACE ->
              ", checkpoints "
                  + when(options.job().interval())
                  + " in groups of up to "
                  + spec.grouping().size()
                  + " that survive "
                  + (losses == 1 ? "1 loss" : losses + " losses at once")
                  + racks(spec, losses)
                  + ", if no spare is left "
                  + spec.room().onNoSpare().name().toLowerCase(Locale.ROOT);
          case END ->
              ", checkpoints " + when(options.job().interval()) + ", the first loss ends the job";
          case SHRINK -> ", no checkpoints, lost ranks stay lost";
        }
        + ", heartbeat "
        + options.job().heartbeatMillis()
        + " ms";
  }

  private static String when(CheckpointInterval interval) {
    return switch (interval) {
      case CheckpointInterval.Every(long iterations) ->
          "every " + (iterations == 1 ? "iteration" : iterations + " iterations");
      case CheckpointInterval.ByTime(double seconds) -> "every " + number(seconds) + " s";
      case CheckpointInterval.Mtbf(double seconds, IntervalModel model) ->
          "tuned for a failure every " + number(seconds) + " s" + by(model);
    };
  }

  private static String by(IntervalModel model) {
    return switch (model) {
      case VAIDYA -> "";
      case YOUNG -> " by Young's model";
      case DALY -> " by Daly's model";
    };
  }

  private static String number(double seconds) {
    return BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString();
  }

  private static String count(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }

  /** Describes the known racks, which may be lost as a whole. */
  private static String racks(JobSpec spec, int losses) {
    int[] nodeOf = spec.placement();
    List<String> racks = spec.racks();
    long count = racks.stream().filter(rack -> !rack.isEmpty()).distinct().count();
    if (count == 0) {
      return "";
    }
    int[][] groups = Groups.form(nodeOf, racks, spec.grouping().size(), spec.grouping().losses());
    return Groups.surviveRacks(nodeOf, racks, groups, losses)
        ? ", or the loss of any of " + count + " racks"
        : ", but not the loss of a whole rack";
  }
}
