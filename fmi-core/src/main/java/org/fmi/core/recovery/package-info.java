/** The recovery path: lifecycle of a rank, the loop, checkpoints, restore, replay. */
@NullMarked
package org.fmi.core.recovery;

import org.jspecify.annotations.NullMarked;
