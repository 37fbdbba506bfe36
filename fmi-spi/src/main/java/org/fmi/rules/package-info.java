/**
 * Rules that every rank, the decision maker and a simulation share, as pure arithmetic: the choice
 * of the recovery line, the time of the next checkpoint, the links of the overlay.
 *
 * <p>Nothing here has a clock, a thread, a socket or a file.
 */
@NullMarked
package org.fmi.rules;

import org.jspecify.annotations.NullMarked;
