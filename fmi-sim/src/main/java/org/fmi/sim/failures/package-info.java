/** What fails on a large machine, how often, and which checkpoint groups survive it. */
@NullMarked
package org.fmi.sim.failures;

import org.jspecify.annotations.NullMarked;
