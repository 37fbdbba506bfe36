/** Processes as the system sees them: what one starts must not outlive it. */
@NullMarked
package org.fmi.run.process;

import org.jspecify.annotations.NullMarked;
