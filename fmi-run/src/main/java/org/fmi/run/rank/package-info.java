/** The process of a rank, before and around the user's program. */
@NullMarked
package org.fmi.run.rank;

import org.jspecify.annotations.NullMarked;
