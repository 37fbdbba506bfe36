/** Checkpoints on files: the helper of a node's daemon, which does what may take long or hang. */
@NullMarked
package org.fmi.run.flush;

import org.jspecify.annotations.NullMarked;
