/** Clusters of points, by sums and counts of all ranks. */
@NullMarked
package org.fmi.examples.kmeans;

import org.jspecify.annotations.NullMarked;
