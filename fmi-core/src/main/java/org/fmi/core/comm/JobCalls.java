package org.fmi.core.comm;

/** Questions of communicators to the job. The last two are asked only in a job that shrinks. */
public interface JobCalls {
  /**
   * The outcome of an agreement of the living members of a communicator.
   *
   * @param flags the bits that all have set that asked
   * @param seq the deaths up to this one are left out of a communicator that is made
   * @param id the highest of the members' next free ids of communicators
   */
  record Agreed(long flags, long seq, int id) {}

  /** Ends the job with a status. */
  void abort(int status);

  /**
   * Asks for an agreement, and waits for it.
   *
   * @param call the number of this agreement in the communicator
   * @param shrink whether a communicator of the living is made; if not, only flags are agreed on
   * @param members a bit for each world rank that is a member
   * @param nextId this rank's next free id of a communicator
   * @return the outcome; this rank knows of the deaths up to its number
   */
  default Agreed agree(
      int communicator, int call, boolean shrink, long[] members, long flags, int nextId) {
    throw new IllegalStateException("no agreement in this job: none of its ranks may be missing");
  }

  /** Notifies each member that a communicator is revoked. */
  default void revoke(int communicator, long[] members) {
    throw new IllegalStateException("nothing is revoked in this job");
  }
}
