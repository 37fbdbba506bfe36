/** What Slurm knows of a job: its nodes, and what becomes of them. */
@NullMarked
package org.fmi.run.slurm;

import org.jspecify.annotations.NullMarked;
