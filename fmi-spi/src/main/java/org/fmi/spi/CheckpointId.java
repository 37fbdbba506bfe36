package org.fmi.spi;

/**
 * Names a checkpoint; the same on all ranks.
 *
 * @param version grows with every checkpoint of the job
 * @param loop number of the loop it belongs to, from 0
 * @param iteration the iteration to go on with
 * @param last whether it is the final one of its loop; such a checkpoint is kept until the job ends
 */
public record CheckpointId(long version, long loop, long iteration, boolean last) {}
