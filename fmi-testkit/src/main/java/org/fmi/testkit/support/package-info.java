/**
 * Test tools: threads and processes that run ranks, a network between threads, node memory in a
 * map, sparse memory for long messages, new seeds for each run, and a way to run tests without
 * Maven.
 */
@NullMarked
package org.fmi.testkit.support;

import org.jspecify.annotations.NullMarked;
