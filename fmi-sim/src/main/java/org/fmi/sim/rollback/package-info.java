/** Rollbacks of stencils on many hosts: the ranks that compute again, and the cost of that. */
@NullMarked
package org.fmi.sim.rollback;

import org.jspecify.annotations.NullMarked;
