/** Sweeps through a cube that ranks do one behind the other, without a barrier. */
@NullMarked
package org.fmi.examples.lu;

import org.jspecify.annotations.NullMarked;
