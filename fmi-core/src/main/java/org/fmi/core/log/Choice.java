package org.fmi.core.log;

/**
 * What a process that repeats it alone could do otherwise, and what neither the {@link MessageLog}
 * nor its {@link Determinants} cover.
 */
public enum Choice {
  /** Room comes back as messages are sent. */
  REFUSED("is refused a buffered send for want of room"),
  TOO_MANY("decides more by the order of messages between two checkpoints than is kept"),
  /** Numbers end. */
  UNCOUNTED("sends more messages to one rank between two checkpoints than are numbered"),
  /** What it sends cannot be kept. */
  NO_ROOM(
      "has less than 16 MiB for a log of what it sends: a fifth of the memory that is free on its"
          + " node, among its ranks (--log-limit)");

  private final String text;

  Choice(String text) {
    this.text = text;
  }

  /** What a rank does that makes it, as a part of a sentence. */
  public String text() {
    return text;
  }
}
