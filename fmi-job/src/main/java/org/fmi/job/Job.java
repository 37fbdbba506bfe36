package org.fmi.job;

import java.util.List;

/** Decides: takes what happened, gives what is to be done. Deterministic; called by one thread. */
public interface Job {
  /** The first commands: start the daemons. */
  List<JobCommand> begin();

  /** The commands that follow from an event. */
  List<JobCommand> on(JobEvent event);

  /** How many recoveries have begun. */
  int recoveries();
}
