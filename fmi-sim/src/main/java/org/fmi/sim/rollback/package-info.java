/** Who computes again after a failure, and what that costs: stencils on many hosts. */
@NullMarked
package org.fmi.sim.rollback;

import org.jspecify.annotations.NullMarked;
