/** Costs of checkpoints on two levels, and the intervals, groups and levels that lose least. */
@NullMarked
package org.fmi.sim.checkpoint;

import org.jspecify.annotations.NullMarked;
