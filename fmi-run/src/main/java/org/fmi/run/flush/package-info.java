/**
 * The process beside a node's daemon that writes checkpoints to files, which may take long or hang.
 */
@NullMarked
package org.fmi.run.flush;

import org.jspecify.annotations.NullMarked;
