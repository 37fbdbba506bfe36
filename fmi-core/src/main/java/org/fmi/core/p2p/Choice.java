package org.fmi.core.p2p;

/**
 * What a call may decide by the time at which messages come. A process that repeats such a call
 * alone could decide otherwise, so the {@link MessageLog} does not cover it.
 */
public enum Choice {
  SOURCE("receives from ANY_SOURCE"),
  PROBE("probes for a message"),
  TEST("tests a request"),
  CANCEL("cancels a request"),
  /** Decides nothing; but it is complete only once its message has found its receive. */
  SYNCHRONOUS("sends synchronously"),
  /** Ranks agree on the end of each iteration by messages of the runtime. */
  LOOP_WHILE("runs loopWhile");

  private final String text;

  Choice(String text) {
    this.text = text;
  }

  /** What a rank does that makes it, as a part of a sentence. */
  public String text() {
    return text;
  }
}
