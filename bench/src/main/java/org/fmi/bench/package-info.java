/** Programs that only benchmarks run. */
@NullMarked
package org.fmi.bench;

import org.jspecify.annotations.NullMarked;
