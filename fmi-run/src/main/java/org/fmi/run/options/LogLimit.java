package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/** Says how much a rank keeps of what it has sent, so that only failed ranks go back. */
final class LogLimit {
  /** In place of a number, if none is given. */
  static final int NOT_GIVEN = 0;

  private LogLimit() {}

  /** Why all ranks go back though only failed ones would where that can be done; else null. */
  static @Nullable String whyGlobal(Settings settings, boolean check) {
    Value rollback = settings.get(Setting.ROLLBACK);
    if (rollback == null || !rollback.texts().getFirst().equals("auto")) {
      return null;
    }
    return check
        ? rollback.origin()
            + " auto: all ranks go back, as --check repeats iterations of all ranks together"
        : null;
  }

  /**
   * In bytes; 0 if all ranks go back, {@link RankConfig#LOG_LIMIT_OF_STATE} if ranks find it out.
   *
   * @param mode who goes back, as the user says it
   * @param mib the limit, or {@link #NOT_GIVEN}
   * @param check whether iterations are repeated, and compared
   */
  static long bytes(String mode, int mib, boolean check, Settings settings) throws UsageException {
    boolean local = mode.equals("local") || mode.equals("auto");
    Value limit = settings.get(Setting.LOG_LIMIT);
    Value rollback = settings.get(Setting.ROLLBACK);
    // A site's file may have a limit for those jobs that need one.
    if (!local && limit != null && limit.source() == 0) {
      throw new UsageException(
          limit.origin() + ": nothing is logged if all ranks go back; add --rollback local");
    }
    boolean some = mode.equals("local") || mode.equals("flow");
    if (some && check && rollback != null) {
      throw new UsageException(
          rollback.origin()
              + " "
              + mode
              + ": --check repeats iterations of all ranks together; leave one of them out");
    }
    if (!local || whyGlobal(settings, check) != null) {
      return 0;
    }
    return mib == NOT_GIVEN ? RankConfig.LOG_LIMIT_OF_STATE : (long) mib << 20;
  }
}
