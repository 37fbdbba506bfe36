/** Tests of the example {@code heat2d}. */
@NullMarked
package org.fmi.examples.heat2d;

import org.jspecify.annotations.NullMarked;
