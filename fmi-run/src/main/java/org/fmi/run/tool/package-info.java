/** The command {@code fmi}: looks at running jobs, and at this machine. */
@NullMarked
package org.fmi.run.tool;

import org.jspecify.annotations.NullMarked;
