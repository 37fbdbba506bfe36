/**
 * Tools of tests: threads and processes to run ranks in, a network between threads, node memory in
 * a map, long memory that costs little, seeds that are new in each run, and a way to run tests
 * without Maven.
 */
@NullMarked
package org.fmi.testkit.support;

import org.jspecify.annotations.NullMarked;
