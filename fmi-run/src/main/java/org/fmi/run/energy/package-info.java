/**
 * Energy of the machine's processors: readings of it, and slower clocks where nobody needs a core.
 */
@NullMarked
package org.fmi.run.energy;

import org.jspecify.annotations.NullMarked;
