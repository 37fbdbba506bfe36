/** What all simulations of large machines share: quantities with units, and where chance begins. */
@NullMarked
package org.fmi.sim;

import org.jspecify.annotations.NullMarked;
