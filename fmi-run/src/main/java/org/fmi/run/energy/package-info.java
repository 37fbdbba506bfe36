/** What the machine's processors take, and how they are slowed down where nobody needs them. */
@NullMarked
package org.fmi.run.energy;

import org.jspecify.annotations.NullMarked;
