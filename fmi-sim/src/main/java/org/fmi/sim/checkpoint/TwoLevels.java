package org.fmi.sim.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * Checkpoints in memory and on files, each with its interval.
 *
 * @param memory what failures cost that groups survive; null if there are none
 * @param files what failures cost that only files survive; null without files
 * @param memoryInterval useful time between checkpoints in memory, in seconds
 * @param filesInterval from one version on files to the next, in seconds; 0 without files
 */
public record TwoLevels(
    Level memory, @Nullable Level files, double memoryInterval, double filesInterval) {
  /** Writing takes at most this share of the time: there are slower days. */
  private static final double MOST_BUSY = 0.8;

  /** With the intervals that lose least. */
  public static TwoLevels best(Level memory, @Nullable Level files) {
    double least = files == null ? 0 : Math.max(files.interval(), files.latency() / MOST_BUSY);
    // Without failures that memory survives, there are only checkpoints that go to files.
    double often = Math.min(memory.interval(), files == null ? memory.interval() : least);
    return new TwoLevels(memory, files, often, Math.max(least, files == null ? 0 : often));
  }

  /**
   * The share of the time that is useful, by the model: from 0 to 1.
   *
   * @param work useful time of the whole job: without files it starts from its beginning after a
   *     failure that memory does not survive
   * @param filesMtbf mean time between those failures
   */
  public double useful(double work, double filesMtbf) {
    double inMemory =
        Double.isInfinite(memoryInterval) ? 1 : memory.useful(Math.min(memoryInterval, work));
    if (files != null) {
      // A failure gives up the version that is being written: fewer of them become whole.
      double rate = 1 / memory.mtbf();
      double between = filesInterval * Math.exp(rate * files.latency());
      return inMemory * files.interruptedBy(rate).useful(Math.min(between, work / inMemory));
    }
    return Double.isInfinite(filesMtbf)
        ? inMemory
        : inMemory * new Level(0, 0, memory.restart(), filesMtbf).useful(work / inMemory);
  }
}
