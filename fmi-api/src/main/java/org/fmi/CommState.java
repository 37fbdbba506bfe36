package org.fmi;

/** Whether all calls of a communicator can succeed: see {@link Comm#state}. */
public enum CommState {
  /** No member is known here to be dead. */
  VALID,
  /** A member is dead: collectives fail, and messages to it and from it. */
  INVALID,
  /** A member has revoked it: all calls fail but {@link Comm#agree} and {@link Comm#shrink}. */
  REVOKED
}
