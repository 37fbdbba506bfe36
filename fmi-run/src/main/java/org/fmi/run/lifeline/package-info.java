/**
 * Lifelines: they let a daemon learn of the death of a rank's process before the system has removed
 * it.
 */
@NullMarked
package org.fmi.run.lifeline;

import org.jspecify.annotations.NullMarked;
