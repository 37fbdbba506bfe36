/**
 * Lifelines: a daemon learns by them of the death of a rank's process before the system has cleared
 * it away.
 */
@NullMarked
package org.fmi.run.lifeline;

import org.jspecify.annotations.NullMarked;
