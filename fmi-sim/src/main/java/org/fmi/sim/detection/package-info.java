/**
 * Notices and spreads failures in a large job, by the state machines of the real detectors:
 * messages and rounds, and timeouts until all ranks know.
 */
@NullMarked
package org.fmi.sim.detection;

import org.jspecify.annotations.NullMarked;
