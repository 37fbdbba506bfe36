/** The Slurm side of a job: its nodes, its time limit, and nodes lent by Slurm. */
@NullMarked
package org.fmi.run.slurm;

import org.jspecify.annotations.NullMarked;
