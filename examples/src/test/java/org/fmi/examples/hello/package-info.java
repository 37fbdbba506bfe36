/** Tests of the example {@code hello}. */
@NullMarked
package org.fmi.examples.hello;

import org.jspecify.annotations.NullMarked;
