package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;

/** Says how much a rank keeps of what it has sent, so that only failed ranks go back. */
final class LogLimit {
  static final int DEFAULT_MIB = 256;

  private LogLimit() {}

  /**
   * In bytes; 0 if all ranks go back.
   *
   * @param local whether the user wants that only failed ranks go back
   * @param mib the limit, given or not
   * @param check whether iterations are repeated, and compared
   */
  static long bytes(boolean local, int mib, boolean check, Settings settings)
      throws UsageException {
    Value limit = settings.get(Setting.LOG_LIMIT);
    Value rollback = settings.get(Setting.ROLLBACK);
    // A site's file may have a limit for those jobs that need one.
    if (!local && limit != null && limit.source() == 0) {
      throw new UsageException(
          limit.origin() + ": nothing is logged if all ranks go back; add --rollback local");
    }
    if (local && check && rollback != null) {
      throw new UsageException(
          rollback.origin()
              + " local: --check repeats iterations of all ranks together; leave one of them out");
    }
    return local ? (long) mib << 20 : 0;
  }
}
