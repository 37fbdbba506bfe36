/**
 * Rules that every rank, the decision maker and a simulation apply alike, as arithmetic alone:
 * which checkpoint all ranks go back to, when the next one is due, who watches whom.
 *
 * <p>Nothing here has a clock, a thread, a socket or a file.
 */
@NullMarked
package org.fmi.rules;

import org.jspecify.annotations.NullMarked;
