/** A stencil on blocks that are refined and moved, in state that writes itself. */
@NullMarked
package org.fmi.examples.amr;

import org.jspecify.annotations.NullMarked;
