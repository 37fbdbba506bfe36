/** The files of a job's program: their list, and a copy that the job keeps. */
@NullMarked
package org.fmi.run.program;

import org.jspecify.annotations.NullMarked;
