/** A rank without failure detection. */
@NullMarked
package org.fmi.bench.unprotected;

import org.jspecify.annotations.NullMarked;
