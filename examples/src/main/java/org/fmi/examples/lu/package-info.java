/** Sweeps through a cube in a pipeline of ranks, without a barrier. */
@NullMarked
package org.fmi.examples.lu;

import org.jspecify.annotations.NullMarked;
