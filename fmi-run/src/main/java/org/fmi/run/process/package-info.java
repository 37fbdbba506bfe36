/** Processes as the system sees them: descendants must not outlive their process. */
@NullMarked
package org.fmi.run.process;

import org.jspecify.annotations.NullMarked;
