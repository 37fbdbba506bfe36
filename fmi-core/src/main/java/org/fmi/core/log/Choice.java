package org.fmi.core.log;

/**
 * Events that a process repeating a rank's work alone may repeat differently, and that neither the
 * {@link MessageLog} nor its {@link Determinants} cover.
 */
public enum Choice {
  /** A buffered send's success depends on when earlier messages left the buffer. */
  REFUSED("has a buffered send refused because its buffer is full"),
  TOO_MANY(
      "has more nondeterministic receives, probes and tests between two checkpoints than the job"
          + " stores"),
  /** Message numbers are exhausted. */
  UNCOUNTED("sends more messages to one rank between two checkpoints than can be numbered"),
  /** The sent messages cannot be logged. */
  NO_ROOM(
      "has less than 16 MiB for its message log: a fifth of its node's free memory, divided"
          + " among the node's ranks (--log-limit)");

  private final String text;

  Choice(String text) {
    this.text = text;
  }

  /** The event as a predicate whose subject is the rank. */
  public String text() {
    return text;
  }
}
