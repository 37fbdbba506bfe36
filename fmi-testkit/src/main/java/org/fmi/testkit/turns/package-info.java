/**
 * Tests with real processes that take turns: a build makes a part of them, and {@code .ci/run} the
 * others day by day.
 */
@NullMarked
package org.fmi.testkit.turns;

import org.jspecify.annotations.NullMarked;
