/** {@code fmi simulate}: predictions for jobs on large machines. */
@NullMarked
package org.fmi.run.simulate;

import org.jspecify.annotations.NullMarked;
