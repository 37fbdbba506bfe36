/** Figures of the papers, computed again: each class is one of them. */
@NullMarked
package org.fmi.sim.papers;

import org.jspecify.annotations.NullMarked;
