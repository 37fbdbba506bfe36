package org.fmi.sim.rollback;

/**
 * The result of a run.
 *
 * @param failures number of failures
 * @param beyondGroups failures that groups did not survive: all hosts rolled back to files
 * @param again iterations of one host that were computed again, of all hosts
 * @param seconds that the whole run took
 */
public record RollbackResult(int failures, int beyondGroups, long again, double seconds) {}
