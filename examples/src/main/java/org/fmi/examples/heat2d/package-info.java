/** Heat in a plate, with communicators for rows and columns of ranks. */
@NullMarked
package org.fmi.examples.heat2d;

import org.jspecify.annotations.NullMarked;
