package org.fmi.run.options;

import java.util.Arrays;
import org.fmi.job.Groups;
import org.fmi.job.JobSpec;
import org.fmi.rules.GroupCode;
import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/** Whether checkpoint groups can bring back as many losses as the user asks for. */
final class GroupLosses {
  /** The source of what a site has set. */
  private static final int SITE = 2;

  private GroupLosses() {}

  /**
   * Refuses what cannot be had. A site's file has what is good where it can be had.
   *
   * @param losses what was given; null if nothing was
   */
  static void check(@Nullable Value losses, JobSpec spec) throws UsageException {
    int asked = spec.grouping().losses();
    if (losses == null || asked == 0) {
      return;
    }
    int[] nodeOf = spec.placement();
    int carried = Groups.carried(nodeOf, Math.min(asked, spec.grouping().size() - 1));
    if (carried < asked && losses.source() < SITE) {
      throw new UsageException(
          losses.origin()
              + " "
              + asked
              + ": takes groups of at least "
              + (asked + 1)
              + " ranks on different nodes; place the ranks on more nodes (--ppn, --hosts)"
              + (spec.grouping().size() > asked ? "" : ", in larger groups (--group-size)")
              + ", or use --group-losses "
              + carried);
    }
    int most = GroupCode.mostMembers(asked);
    int largest =
        Arrays.stream(Groups.form(nodeOf, spec.racks(), spec.grouping().size(), asked))
            .mapToInt(group -> group.length)
            .max()
            .orElse(1);
    if (largest > most) {
      throw new UsageException(
          losses.origin()
              + " "
              + asked
              + ": a group of "
              + largest
              + " ranks is too large for it; use --group-size "
              + most);
    }
  }
}
