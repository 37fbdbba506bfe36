package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/** Says whether ranks wait for each other at checkpoints, or go on. */
final class CheckpointMode {
  private CheckpointMode() {}

  private static @Nullable Value overlapped(Settings settings) {
    Value mode = settings.get(Setting.CHECKPOINT);
    return mode != null && mode.texts().getFirst().equals("overlapped") ? mode : null;
  }

  /** What says that ranks go on; null if they wait for each other. */
  static @Nullable Value inEffect(Settings settings) {
    return whyBlocking(settings) == null ? overlapped(settings) : null;
  }

  /** Why ranks wait for each other nevertheless; null if they go on, or it was not asked for. */
  static @Nullable String whyBlocking(Settings settings) {
    Value mode = overlapped(settings);
    if (mode == null) {
      return null;
    }
    Value files = settings.get(Setting.L2_DIR);
    return files == null
        ? null
        : mode.origin()
            + " overlapped: ranks wait for each other at checkpoints, as those that are written to"
            + " files hold no messages that cross them ("
            + files.origin()
            + ")";
  }

  /**
   * Whether ranks go on.
   *
   * @param flows whether ranks that have not failed compute for those that have
   */
  static boolean isOverlapped(Settings settings, boolean flows, boolean check)
      throws UsageException {
    Value mode = inEffect(settings);
    if (mode == null) {
      return false;
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
