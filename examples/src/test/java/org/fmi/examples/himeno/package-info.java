/** Tests of the example {@code himeno}. */
@NullMarked
package org.fmi.examples.himeno;

import org.jspecify.annotations.NullMarked;
