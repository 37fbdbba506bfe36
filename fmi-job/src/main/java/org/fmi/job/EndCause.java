package org.fmi.job;

/**
 * Says why a job ended, so that whoever tells the user can add what would have helped. The decision
 * maker knows no options and gives no such advice itself.
 */
public enum EndCause {
  /** All ranks have ended by themselves. */
  ALL_ENDED,
  /** The user wanted it to end. */
  INTERRUPTED,
  /** The program called {@code abort}. */
  ABORTED,
  /** The program fails by itself, again and again or before it joins. */
  PROGRAM_FAILED,
  /** The program fails by itself, as a rank has too little memory for it. */
  OUT_OF_MEMORY,
  /** A rank ended without {@code Fmi.init}, and others wait for it. */
  NOT_ALL_JOINED,
  /** A node could not be started, and no spare was left for its ranks. */
  CANNOT_START,
  /** A node cannot run the program, and no spare was left for its ranks. */
  UNFIT_NODE,
  /** No spare is left for a rank that has lost its node, and the user wants no other place. */
  NO_SPARE,
  /** No node at all is left for a rank. */
  NO_NODE,
  /** A rank was started again and again and never got to run. */
  NEVER_RAN,
  /** The recovery would be one more than the user allows. */
  TOO_MANY_RECOVERIES,
  /** More checkpoints are lost than can be brought back, or all of them. */
  CHECKPOINTS_LOST,
  /** A rank found that the job cannot be recovered, and its message says why. */
  UNRECOVERABLE,
  /** Something failed after all ranks were released, when nothing can be repeated. */
  LOST_WHILE_ENDING
}
