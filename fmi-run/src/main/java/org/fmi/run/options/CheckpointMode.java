package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/** Says whether ranks wait for each other at checkpoints, or go on. */
final class CheckpointMode {
  private CheckpointMode() {}

  /** What says that ranks go on; null if they wait for each other. */
  static @Nullable Value overlapped(Settings settings) {
    Value mode = settings.get(Setting.CHECKPOINT);
    return mode != null && mode.texts().getFirst().equals("overlapped") ? mode : null;
  }

  /** At which checkpoints ranks wait for each other nevertheless; null if at none of files. */
  static @Nullable String whoWaits(Settings settings) {
    Value mode = overlapped(settings);
    Value files = settings.get(Setting.L2_DIR);
    return mode == null || files == null || settings.get(Setting.L2_EVERY) == null
        ? null
        : mode.origin()
            + " overlapped: ranks wait for each other at those checkpoints that are written to"
            + " files, which hold no messages that cross them ("
            + files.origin()
            + ")";
  }

  /** Why ranks wait for each other though a site's settings say that they go on; else null. */
  static @Nullable String whyBlocking(Settings settings) {
    Value mode = overlapped(settings);
    return mode == null
        ? null
        : mode.origin()
            + " overlapped: ranks wait for each other at checkpoints, as flows of data begin there"
            + " (--rollback flow)";
  }

  /**
   * Whether ranks go on.
   *
   * @param flows whether ranks that have not failed compute for those that have
   */
  static boolean isOverlapped(Settings settings, boolean flows, boolean check)
      throws UsageException {
    Value mode = overlapped(settings);
    if (mode == null) {
      return false;
    }
    if (flows && mode.source() > 0) {
      return false; // a site's file or a variable is for those jobs that can do it
    }
    if (flows) {
      throw new UsageException(
          mode.origin()
              + " overlapped: flows of data begin where all ranks wait for each other; use it with"
              + " --rollback local or global");
    }
    if (check) {
      throw new UsageException(
          mode.origin()
              + " overlapped: --check repeats iterations of all ranks together, from where all"
              + " ranks wait for each other; leave one of them out");
    }
    return true;
  }
}
