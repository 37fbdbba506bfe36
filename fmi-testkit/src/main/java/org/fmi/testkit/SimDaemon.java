package org.fmi.testkit;

import org.fmi.control.RankMessage;

/** The events at the daemon of a simulated node. Not called while the daemon pauses. */
public interface SimDaemon {
  /** Creates the daemon of a node that comes up. */
  interface Factory {
    SimDaemon open(SimHost host);
  }

  /** The daemon is connected to fmirun. */
  void onConnected();

  /** The connection to fmirun is over. */
  void onFmirunGone();

  /** A process has sent a message. */
  void onMessage(SimProcess process, RankMessage message);

  /** A process has announced its exit. */
  void onExiting(SimProcess process);

  /** The connection of a process is closed: no more messages come from it. */
  void onDisconnected(SimProcess process);

  /** A process missed its heartbeats; its connection is closed, and it ends if it runs again. */
  void onSilent(SimProcess process);

  /** A process was killed; {@link #onExited} follows. */
  void onDying(SimProcess process);

  /**
   * A process has ended.
   *
   * @param status exit status, or 128 + signal
   */
  void onExited(SimProcess process, int status, boolean signaled);
}
