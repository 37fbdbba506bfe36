/** Tests of the example {@code samplesort}. */
@NullMarked
package org.fmi.examples.samplesort;

import org.jspecify.annotations.NullMarked;
