/** Sorting, with state that grows and a seeded generator. */
@NullMarked
package org.fmi.examples.samplesort;

import org.jspecify.annotations.NullMarked;
