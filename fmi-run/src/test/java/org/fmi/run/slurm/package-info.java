@NullMarked
package org.fmi.run.slurm;

import org.jspecify.annotations.NullMarked;
