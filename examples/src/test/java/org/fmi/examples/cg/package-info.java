/** Tests of the example {@code cg}. */
@NullMarked
package org.fmi.examples.cg;

import org.jspecify.annotations.NullMarked;
