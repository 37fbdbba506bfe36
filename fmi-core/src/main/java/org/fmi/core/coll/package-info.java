/** Collective operations, one algorithm a file. */
@NullMarked
package org.fmi.core.coll;

import org.jspecify.annotations.NullMarked;
