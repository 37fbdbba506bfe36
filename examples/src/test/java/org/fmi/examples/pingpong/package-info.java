/** Tests of the example {@code pingpong}. */
@NullMarked
package org.fmi.examples.pingpong;

import org.jspecify.annotations.NullMarked;
