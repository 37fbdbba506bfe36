/**
 * A loop of the program, and a rank's position in it: the iteration, the body, the two states of a
 * {@code flowLoop}, and failures of the program's code.
 */
@NullMarked
package org.fmi.core.loop;

import org.jspecify.annotations.NullMarked;
