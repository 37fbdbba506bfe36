package org.fmi.sim.rollback;

/**
 * How a run went.
 *
 * @param failures that have come
 * @param beyondGroups those of them that groups did not survive: all went back to files
 * @param again iterations of one host that were computed again, of all hosts
 * @param seconds that the whole run took
 */
public record RollbackResult(int failures, int beyondGroups, long again, double seconds) {}
