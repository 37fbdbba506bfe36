/** {@code fmi simulate}: what jobs on large machines would do, computed and not run. */
@NullMarked
package org.fmi.run.simulate;

import org.jspecify.annotations.NullMarked;
