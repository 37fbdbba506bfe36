package org.fmi.job;

/**
 * The cause of a job's end, to which fmirun adds advice for the user. The decision maker knows no
 * options and gives no advice.
 */
public enum EndCause {
  /** All ranks have ended by themselves. */
  ALL_ENDED,
  /** The user wanted the job to end. */
  INTERRUPTED,
  /** The program called {@code abort}. */
  ABORTED,
  /** The program fails by itself, repeatedly or before it joins. */
  PROGRAM_FAILED,
  /** The program fails by itself, because a rank has too little memory. */
  OUT_OF_MEMORY,
  /** A rank ended without {@code Fmi.init} while other ranks wait for it. */
  NOT_ALL_JOINED,
  /** A node could not be started, and no spare was left for its ranks. */
  CANNOT_START,
  /**
   * A node could not be started for a reason that holds for every node, and no spare was left for
   * its ranks.
   */
  CANNOT_START_ANYWHERE,
  /** A node cannot run the program, and no spare was left for its ranks. */
  UNFIT_NODE,
  /** No spare is left for a rank that has lost its node, and the policy allows no other place. */
  NO_SPARE,
  /** No node at all is left for a rank. */
  NO_NODE,
  /** Nodes with ranks cannot hear each other, and their ranks cannot move. */
  LINKS_BROKEN,
  /** A rank was started repeatedly and never got to run. */
  NEVER_RAN,
  /** The next recovery would exceed the user's limit. */
  TOO_MANY_RECOVERIES,
  /** More recoveries in a row than the user allows brought the job no further. */
  NO_PROGRESS,
  /** More checkpoints are lost than can be rebuilt, or all of them. */
  CHECKPOINTS_LOST,
  /** A rank found that the job cannot be recovered; its message gives the reason. */
  UNRECOVERABLE,
  /** A rank was lost, and the user wants the job to end then. */
  LOSS_ENDS,
  /** All ranks were lost, and none is replaced. */
  ALL_LOST,
  /** A failure occurred after all ranks were released, when nothing can be repeated. */
  LOST_WHILE_ENDING
}
