/** The Himeno benchmark: a Poisson equation solved by Jacobi's method. */
@NullMarked
package org.fmi.examples.himeno;

import org.jspecify.annotations.NullMarked;
