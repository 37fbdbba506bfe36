package org.fmi.spi;

/**
 * Lines for whoever runs the job, from parts that cannot know where those are shown. A rank's come
 * from its standard error, as if the program had written them there.
 */
@FunctionalInterface
public interface Diagnostics {
  /** Shows nothing. */
  Diagnostics NONE = line -> {};

  /**
   * Reports one line, which gets FMI's name before it. Any thread.
   *
   * @param line what has happened, to whom, and what would help
   */
  void report(String line);
}
