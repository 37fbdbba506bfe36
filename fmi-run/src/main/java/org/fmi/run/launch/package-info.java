/** Starts and ends the daemons of a job's nodes. */
@NullMarked
package org.fmi.run.launch;

import org.jspecify.annotations.NullMarked;
