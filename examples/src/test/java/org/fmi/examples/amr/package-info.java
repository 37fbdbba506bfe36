/** Tests of the example {@code amr}. */
@NullMarked
package org.fmi.examples.amr;

import org.jspecify.annotations.NullMarked;
