package org.fmi.run.options;

import org.fmi.run.options.Settings.Value;

/** Says how many ranks may compute again where a failure interrupts a {@code flowLoop}. */
final class FlowLimit {
  private FlowLimit() {}

  /**
   * 0 if all ranks go back, or those that have failed.
   *
   * @param mode who goes back, as the user says it
   * @param ranks the limit, given or not
   * @param check whether iterations are repeated, and compared
   */
  static int ranks(String mode, int ranks, boolean check, Settings settings) throws UsageException {
    boolean flows = mode.equals("flow") || mode.equals("auto");
    Value limit = settings.get(Setting.FLOW_LIMIT);
    // A site's file may have a limit for those jobs that need one.
    if (!flows && limit != null && limit.source() == 0) {
      throw new UsageException(
          limit.origin() + ": nobody computes along a flow; add --rollback flow");
    }
    Value overlapped = mode.equals("auto") ? CheckpointMode.overlapped(settings) : null;
    if (overlapped != null && limit != null && limit.source() == 0) {
      throw new UsageException(
          limit.origin()
              + ": nobody computes along a flow with "
              + overlapped.origin()
              + " overlapped; leave one of them out");
    }
    return flows && overlapped == null && !(mode.equals("auto") && check) ? ranks : 0;
  }
}
