/** Figures of the papers by simulation: tables and charts for {@code bench/papers}. */
@NullMarked
package org.fmi.bench.papers;

import org.jspecify.annotations.NullMarked;
