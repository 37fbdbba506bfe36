package org.fmi.sim.checkpoint;

import org.fmi.sim.failures.Grouping;

/**
 * A choice of checkpoint groups, and its results by the model.
 *
 * @param groupSize as {@code --group-size}
 * @param grouping the groups
 * @param levels with the intervals that lose least
 * @param memoryMtbf mean seconds between failures that groups survive
 * @param filesMtbf mean seconds between those they do not
 * @param memoryBytes what checkpoints take on a node
 * @param useful the share of the time that is useful, from 0 to 1
 */
public record Candidate(
    int groupSize,
    Grouping grouping,
    TwoLevels levels,
    double memoryMtbf,
    double filesMtbf,
    double memoryBytes,
    double useful) {}
