package org.fmi.job;

import java.util.List;

/** A decision maker: takes events, returns commands. Deterministic; called by one thread. */
public interface Job {
  /** Returns the first commands: start the daemons. */
  List<JobCommand> begin();

  /** Returns the commands that follow from an event. */
  List<JobCommand> on(JobEvent event);

  /** Returns the number of recoveries begun. */
  int recoveries();
}
