/** A failure detector that detects nothing, to measure ranks without one. */
@NullMarked
package org.fmi.bench.unprotected;

import org.jspecify.annotations.NullMarked;
