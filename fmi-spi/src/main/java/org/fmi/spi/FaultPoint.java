package org.fmi.spi;

/** A place in the life of a rank where tests can kill it. */
public enum FaultPoint {
  /** In {@code Fmi.init}, before H1. */
  INIT,
  /** After H2, before checkpoints are brought back. */
  CONNECT,
  /** In the call before the first loop: at the first communication outside of a loop. */
  PROLOGUE,
  /** At the beginning of an iteration, before a checkpoint that is due. */
  ITERATION,
  /** While the state is being copied. */
  CHECKPOINT,
  /**
   * Asynchronous checkpoint: the state is copied and this is reported; not yet known to be so on
   * all ranks.
   */
  BEGUN,
  /**
   * Asynchronous checkpoint: all ranks have begun it, and in-transit messages are being collected.
   */
  COLLECT,
  /**
   * Asynchronous checkpoint: all in-transit messages have arrived and this is reported; not yet
   * known to be so on all ranks.
   */
  COLLECTED,
  /** The code (parity) is being computed. */
  ENCODE,
  /** The rank's own part is complete, and not yet known to be committed by all. */
  COMMIT,
  /**
   * Asynchronous checkpoint: its completion is reported, so other ranks may have committed it. In a
   * job that shrinks: this rank has asked for an agreement, whose number among this rank's
   * agreements counts from 0.
   */
  AGREE,
  /** Just committed. */
  COMMITTED,
  /** In the recovery, while lost checkpoints are rebuilt. */
  REBUILD,
  /** In the recovery, after the state was restored, before the ranks continue. */
  RESTORED,
  /** At the beginning of an iteration that a rank repeats alone, while the other ranks continue. */
  REPLAY,
  /** In the recovery of a {@code flowLoop}, while this rank computes an iteration again. */
  RECOMPUTE,
  /** Before this rank begins a task of a graph, by the task's number. */
  TASK,
  /** After a loop's final checkpoint, at the first communication outside of it. */
  EPILOGUE,
  /** In {@code Fmi.close}. */
  CLOSE;

  /** Whether the point belongs to an iteration, an agreement or a task, which has a number. */
  public boolean isNumbered() {
    return switch (this) {
      case INIT, CONNECT, PROLOGUE, EPILOGUE, CLOSE -> false;
      case ITERATION,
          CHECKPOINT,
          BEGUN,
          COLLECT,
          COLLECTED,
          ENCODE,
          COMMIT,
          AGREE,
          COMMITTED,
          REBUILD,
          RESTORED,
          REPLAY,
          RECOMPUTE,
          TASK ->
          true;
    };
  }
}
