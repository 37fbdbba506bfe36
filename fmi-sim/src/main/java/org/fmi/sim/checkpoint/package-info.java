/** What checkpoints on two levels cost, and which interval, groups and levels lose least. */
@NullMarked
package org.fmi.sim.checkpoint;

import org.jspecify.annotations.NullMarked;
