/** Tests of the example {@code cg}. */
@NullMarked
package org.fmi.examples.lu;

import org.jspecify.annotations.NullMarked;
