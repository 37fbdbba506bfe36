/**
 * The state of a program's loop: its objects, their bytes in a checkpoint, their place among the
 * objects of all ranks, and differences between two states.
 */
@NullMarked
package org.fmi.core.state;

import org.jspecify.annotations.NullMarked;
