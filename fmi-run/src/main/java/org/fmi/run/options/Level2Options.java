package org.fmi.run.options;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Options of checkpoints in files.
 *
 * @param directory their directory, absolute
 * @param every iterations between two; 0 to write none; {@link #TUNED} to derive the number
 * @param firstMtbfSeconds mean time between all failures
 * @param mtbfSeconds mean time between failures that only files survive
 * @param keep number of generations of this job to keep
 * @param stallMillis how long the end of the job waits for files, and how long a process that
 *     writes them may make no progress
 * @param bytesPerSecond maximum rate of a node; 0 for no limit
 * @param restartFrom where the job starts: latest, auto, or a generation; null for from scratch
 */
public record Level2Options(
    Path directory,
    long every,
    double firstMtbfSeconds,
    double mtbfSeconds,
    int keep,
    long stallMillis,
    long bytesPerSecond,
    @Nullable String restartFrom) {
  /** More iterations than any loop has: none is due by count. */
  public static final long TUNED = Long.MAX_VALUE;
}
