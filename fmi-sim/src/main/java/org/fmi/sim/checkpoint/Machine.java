package org.fmi.sim.checkpoint;

/**
 * Rates of a machine that checkpoints depend on.
 *
 * @param memoryRate bytes that a node copies, or computes the code of, per second
 * @param networkRate bytes that a node sends, and receives, per second
 * @param filesRate bytes per second that all nodes together write to files; 0 if there are none
 * @param filesCost how much slower a program is while checkpoints are written to files, from 0 to 1
 * @param restartSeconds from a failure until ranks begin to restore
 */
public record Machine(
    double memoryRate,
    double networkRate,
    double filesRate,
    double filesCost,
    double restartSeconds) {}
