/**
 * Where a rank stands in a loop of its program: the iteration, the body, the two states of a {@code
 * flowLoop}, and whether the program's own code has failed.
 */
@NullMarked
package org.fmi.core.loop;

import org.jspecify.annotations.NullMarked;
