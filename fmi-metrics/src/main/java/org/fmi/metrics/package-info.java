/** Meters of a program's own. */
@NullMarked
package org.fmi.metrics;

import org.jspecify.annotations.NullMarked;
