package org.fmi.spi;

/** Places in the life of a rank where tests let it die. */
public enum FaultPoint {
  /** In {@code Fmi.init}, before H1. */
  INIT,
  /** After H2, before checkpoints are brought back. */
  CONNECT,
  /** In the call before the first loop: at the first communication outside of a loop. */
  PROLOGUE,
  /** At the beginning of an iteration, before a checkpoint that is due. */
  ITERATION,
  /** The state is being copied. */
  CHECKPOINT,
  /** Of a line that nobody waits for: the copy is made, and told; not known to be so on all. */
  BEGUN,
  /** Of such a line: all have begun it, messages that cross it are awaited. */
  COLLECT,
  /** Of such a line: those messages are here, and that is told; not known to be so on all. */
  COLLECTED,
  /** The code (parity) is being computed. */
  ENCODE,
  /** Own part complete, not yet known to be committed by all. */
  COMMIT,
  /** Of a line that nobody waits for: that is told, so that others may have committed it. */
  AGREE,
  /** Just committed. */
  COMMITTED,
  /** In the recovery, while lost checkpoints are rebuilt. */
  REBUILD,
  /** In the recovery, after the state was restored, before all go on. */
  RESTORED,
  /** At the beginning of an iteration that a rank repeats alone, while the others go on. */
  REPLAY,
  /** In the recovery of a {@code flowLoop}, where this rank computes an iteration again. */
  RECOMPUTE,
  /** After a loop's final checkpoint, at the first communication outside of it. */
  EPILOGUE,
  /** In {@code Fmi.close}. */
  CLOSE;

  /** Whether it belongs to an iteration. */
  public boolean inLoop() {
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
          RECOMPUTE ->
          true;
    };
  }
}
