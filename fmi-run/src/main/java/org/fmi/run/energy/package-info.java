/** Energy of the machine's processors: measurement, and slower clocks for idle cores. */
@NullMarked
package org.fmi.run.energy;

import org.jspecify.annotations.NullMarked;
