/** Charts of what the benchmarks have measured. */
@NullMarked
package org.fmi.bench.charts;

import org.jspecify.annotations.NullMarked;
