/** The files of a job's program: what belongs to it, and how a copy of it is made. */
@NullMarked
package org.fmi.run.program;

import org.jspecify.annotations.NullMarked;
