/** Tests of tests that take turns. */
@NullMarked
package org.fmi.testkit.turns;

import org.jspecify.annotations.NullMarked;
