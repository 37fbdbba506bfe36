/** Settings: their sources, their checks, and the job that they describe. */
@NullMarked
package org.fmi.run.options;

import org.jspecify.annotations.NullMarked;
