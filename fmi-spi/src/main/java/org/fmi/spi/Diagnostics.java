package org.fmi.spi;

/**
 * Messages for the user from components that cannot know where they are shown. A rank's messages
 * appear on its standard error, as if the program had written them.
 */
@FunctionalInterface
public interface Diagnostics {
  /** Discards all messages. */
  Diagnostics NONE = line -> {};

  /**
   * Reports one message, which gets FMI's name as its prefix. Any thread.
   *
   * @param line what happened, to which rank or node, and what would help
   */
  void report(String line);
}
