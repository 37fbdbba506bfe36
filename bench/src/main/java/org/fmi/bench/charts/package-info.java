/** Charts of measurements. */
@NullMarked
package org.fmi.bench.charts;

import org.jspecify.annotations.NullMarked;
