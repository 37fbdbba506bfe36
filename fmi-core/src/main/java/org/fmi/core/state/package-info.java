/**
 * The state of a program's loop: which objects it has, what they are as bytes of a checkpoint, how
 * they lie among those of all ranks, and where two of them differ.
 */
@NullMarked
package org.fmi.core.state;

import org.jspecify.annotations.NullMarked;
