/** Slurm's side of a job: its nodes, its time, and nodes that Slurm lends. */
@NullMarked
package org.fmi.run.slurm;

import org.jspecify.annotations.NullMarked;
