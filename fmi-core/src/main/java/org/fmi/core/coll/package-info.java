/** Collective operations, one algorithm per file. */
@NullMarked
package org.fmi.core.coll;

import org.jspecify.annotations.NullMarked;
