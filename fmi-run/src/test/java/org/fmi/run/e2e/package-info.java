/** The whole system with real processes, through its public commands. */
@NullMarked
package org.fmi.run.e2e;

import org.jspecify.annotations.NullMarked;
