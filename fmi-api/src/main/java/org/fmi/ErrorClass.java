package org.fmi;

/**
 * The kinds of errors: the error classes of MPI 4 §9.4, two of its extension ULFM, and two that MPI
 * has no class for.
 */
public enum ErrorClass {
  /** MPI_ERR_BUFFER: the buffer is of no supported type, or too small. */
  BUFFER,
  /** MPI_ERR_COUNT: a count is negative. */
  COUNT,
  /**
   * MPI_ERR_TYPE: the datatype does not fit the buffer, or a message's elements or its length those
   * of its receive.
   */
  TYPE,
  /** MPI_ERR_TAG: the tag is negative, or not {@link Comm#ANY_TAG} where that is allowed. */
  TAG,
  /**
   * MPI_ERR_COMM: the communicator was closed or belongs to a rolled back iteration, or a
   * collective on it has failed.
   */
  COMM,
  /** MPI_ERR_RANK: no such rank in this communicator. */
  RANK,
  /** MPI_ERR_ROOT: no such root in this communicator. */
  ROOT,
  /** MPI_ERR_GROUP: the group does not fit. */
  GROUP,
  /** MPI_ERR_OP: the operation does not fit the datatype. */
  OP,
  /** MPI_ERR_REQUEST: the request is from before a rollback. */
  REQUEST,
  /** MPI_ERR_TRUNCATE: the message is longer than the receive buffer. */
  TRUNCATE,
  /** MPI_ERR_ARG: another argument cannot work. */
  ARG,
  /**
   * Ranks make calls that do not match: another collective, other counts, another iteration, or a
   * send or receive that no rank will answer.
   */
  MISMATCH,
  /** No transport reaches a rank. */
  SYSTEM,
  /** MPIX_ERR_PROC_FAILED: the call needs a rank that has died. Other calls may succeed. */
  PROC_FAILED,
  /** MPIX_ERR_REVOKED: a member has revoked the communicator. */
  REVOKED,
  /** MPI_ERR_OTHER: none of the others. */
  OTHER
}
