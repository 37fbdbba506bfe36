package org.fmi.core.log;

/**
 * Observes the calls of a program in its loops, for {@code fmirun --check}. While an observer is
 * installed, collectives use messages instead of shared memory, so that it sees what they send too.
 */
public interface CallObserver {
  /** A message is about to be sent. */
  void sends(Object base, long offset, long bytes, int dest, int context, long tag);

  /** A message is about to be received or probed for. */
  void receives(int source);
}
