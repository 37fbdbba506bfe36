package org.fmi.run.daemon;

import org.fmi.job.control.FromDaemon;

/** The way to fmirun. */
interface Uplink {
  /** Sends a message; dropped if fmirun is gone, for then the daemon ends. Any thread. */
  void send(FromDaemon message);
}
