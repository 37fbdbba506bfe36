/**
 * The start and a recovery of a job on many nodes: the real decision maker, ranks and daemons of
 * which only what they say is left, and times that a real run has given.
 */
@NullMarked
package org.fmi.sim.scale;

import org.jspecify.annotations.NullMarked;
