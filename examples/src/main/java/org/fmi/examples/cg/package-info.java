/** Conjugate gradients on a sparse matrix, with convergence that all ranks see alike. */
@NullMarked
package org.fmi.examples.cg;

import org.jspecify.annotations.NullMarked;
