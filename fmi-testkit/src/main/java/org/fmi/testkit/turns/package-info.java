/**
 * Tests with real processes that take turns: a build runs a part of them, and {@code .ci/run} the
 * rest day by day.
 */
@NullMarked
package org.fmi.testkit.turns;

import org.jspecify.annotations.NullMarked;
