package org.fmi.run.daemon;

import org.fmi.job.control.FromDaemon;

/** The connection to fmirun. */
interface Uplink {
  /** Sends a message; dropped if fmirun is gone, because the daemon ends then. Any thread. */
  void send(FromDaemon message);
}
