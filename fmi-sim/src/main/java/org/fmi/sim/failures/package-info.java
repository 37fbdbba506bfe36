/**
 * Failures of large machines: their kinds, their rates, and the checkpoint groups that survive
 * them.
 */
@NullMarked
package org.fmi.sim.failures;

import org.jspecify.annotations.NullMarked;
