package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/** Says how much a rank keeps of what it has sent, so that only failed ranks go back. */
final class LogLimit {
  /** In place of a number, if none is given. */
  static final int NOT_GIVEN = 0;

  private LogLimit() {}

  /**
   * Why less is done than the user may expect who has asked for what can be done; else null.
   *
   * @param check whether iterations are repeated, and compared
   * @param alone whether no rank shares a node with another one
   */
  static @Nullable String whyGlobal(Settings settings, boolean check, boolean alone) {
    Value rollback = settings.get(Setting.ROLLBACK);
    if (rollback == null || !rollback.texts().getFirst().equals("auto") || (alone && !check)) {
      return null;
    }
    return rollback.origin()
        + (check
            ? " auto: all ranks go back, as --check repeats iterations of all ranks together"
            : " auto: all ranks go back where a loop is no flowLoop, as ranks of a node share"
                + " memory; with --rollback local they exchange messages instead");
  }

  /**
   * In bytes; 0 if all ranks go back, {@link RankConfig#LOG_LIMIT_OF_STATE} if ranks find it out.
   *
   * @param mode who goes back, as the user says it
   * @param mib the limit, or {@link #NOT_GIVEN}
   * @param check whether iterations are repeated, and compared
   * @param alone whether no rank shares a node with another one
   */
  static long bytes(String mode, int mib, boolean check, boolean alone, Settings settings)
      throws UsageException {
    boolean local = mode.equals("local") || (mode.equals("auto") && alone && !check);
    Value limit = settings.get(Setting.LOG_LIMIT);
    Value rollback = settings.get(Setting.ROLLBACK);
    // A site's file may have a limit for those jobs that need one.
    if (!local && limit != null && limit.source() == 0) {
      throw new UsageException(
          limit.origin()
              + ": nothing is logged "
              + (mode.equals("auto") && !check
                  ? "where ranks share nodes, or there is one; add --rollback local, or place each"
                      + " on a node of its own (--ppn 1)"
                  : "if all ranks go back; add --rollback local"));
    }
    boolean some = mode.equals("local") || mode.equals("flow");
    if (some && check && rollback != null) {
      throw new UsageException(
          rollback.origin()
              + " "
              + mode
              + ": --check repeats iterations of all ranks together; leave one of them out");
    }
    if (!local) {
      return 0;
    }
    return mib == NOT_GIVEN ? RankConfig.LOG_LIMIT_OF_STATE : (long) mib << 20;
  }
}
