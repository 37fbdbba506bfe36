/**
 * Parts that all simulations of large machines share: quantities with units, and random numbers.
 */
@NullMarked
package org.fmi.sim;

import org.jspecify.annotations.NullMarked;
