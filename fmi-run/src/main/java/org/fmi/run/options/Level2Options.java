package org.fmi.run.options;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints on files.
 *
 * @param directory where they are, absolute
 * @param every iterations between two; 0: none are written; {@link #TUNED} for as many as is best
 * @param firstMtbfSeconds mean time between all failures
 * @param mtbfSeconds mean time between failures that only files survive
 * @param keep how many generations of this job stay
 * @param stallMillis how long a job's end waits for them, and a process that writes them may stand
 *     still
 * @param bytesPerSecond that a node writes at most; 0 for no limit
 * @param restartFrom what the job begins from: latest, auto, or a generation; null if anew
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
  /** More than any loop has: none is due by the count of iterations. */
  public static final long TUNED = Long.MAX_VALUE;
}
