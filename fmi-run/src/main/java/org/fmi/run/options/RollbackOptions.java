package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/**
 * Who goes back after a failure.
 *
 * @param logLimitBytes the most that a rank keeps of what it has sent, so that only failed ranks go
 *     back; 0 if all do
 */
public record RollbackOptions(long logLimitBytes) {
  static final int DEFAULT_LIMIT_MIB = 256;

  /** Whether only failed ranks go back, where that can be done. */
  public boolean isLocal() {
    return logLimitBytes > 0;
  }

  /**
   * @param given the limit that the user has given, if any
   */
  static RollbackOptions of(boolean local, int limitMib, @Nullable Value given)
      throws UsageException {
    // A site's file may have a limit for those jobs that need one.
    if (!local && given != null && given.source() == 0) {
      throw new UsageException(
          given.origin() + ": nothing is logged if all ranks go back; add --rollback local");
    }
    return new RollbackOptions(local ? (long) limitMib << 20 : 0);
  }
}
