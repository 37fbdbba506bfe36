package org.fmi.core.comm;

import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage.Agreement;

/** What communicators ask of the job. The last two only where the job goes on without its dead. */
public interface JobCalls {
  /** Ends the job with a status. */
  void abort(int status);

  /**
   * Asks for an agreement, and waits for it.
   *
   * @param call the number of this agreement in the communicator
   * @param members a bit for each world rank that is a member
   * @param nextId this rank's next free id of a communicator
   * @return the outcome; this rank knows of the deaths up to its number
   */
  default JobMessage.Agreed agree(
      int communicator, int call, Agreement kind, long[] members, long flags, int nextId) {
    throw new IllegalStateException("no agreement in this job: none of its ranks may be missing");
  }

  /** Tells each member that a communicator is revoked. */
  default void revoke(int communicator, long[] members) {
    throw new IllegalStateException("nothing is revoked in this job");
  }
}
