package org.fmi.run.options;

import java.util.Arrays;
import org.fmi.job.Groups;
import org.fmi.job.JobSpec;
import org.fmi.rules.GroupCode;
import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/** Checks whether checkpoint groups survive as many losses as the user asks for. */
final class GroupLosses {
  /** The source of a site's settings. */
  private static final int SITE = 2;

  private GroupLosses() {}

  /**
   * Refuses an impossible number of losses. A site's file states what is wanted where it is
   * possible.
   *
   * @param losses the given value; null if none
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
              + ": needs groups of at least "
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
              + " ranks is too large; use --group-size "
              + most);
    }
  }
}
