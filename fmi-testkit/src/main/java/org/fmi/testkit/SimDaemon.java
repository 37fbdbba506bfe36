package org.fmi.testkit;

import org.fmi.control.RankMessage;

/** What happens to the daemon of a simulated node. Not called while it stands still. */
public interface SimDaemon {
  /** Makes the daemon of a node that comes up. */
  interface Factory {
    SimDaemon open(SimHost host);
  }

  /** It is connected to fmirun. */
  void onConnected();

  /** The connection to fmirun is over. */
  void onFmirunGone();

  /** A process said something. */
  void onSaid(SimProcess process, RankMessage message);

  /** A process said that it exits by itself. */
  void onExiting(SimProcess process);

  /** The connection of a process is over: nothing comes from it any more. */
  void onDisconnected(SimProcess process);

  /** A process missed its heartbeats; its connection is closed, and it ends if it goes on. */
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
