package org.fmi.run.launch;

/**
 * The reason why a daemon did not start.
 *
 * @param reason for the user, on one line
 * @param general whether any other node would fail alike, because a setting that all nodes share or
 *     this machine is the cause
 */
public record StartFailure(String reason, boolean general) {
  /** Returns a failure that concerns one node. */
  public static StartFailure ofNode(String reason) {
    return new StartFailure(reason, false);
  }

  /** Returns a failure that any other node would have as well. */
  static StartFailure ofAnyNode(String reason) {
    return new StartFailure(reason, true);
  }
}
