/** Tests of the example {@code kmeans}. */
@NullMarked
package org.fmi.examples.kmeans;

import org.jspecify.annotations.NullMarked;
