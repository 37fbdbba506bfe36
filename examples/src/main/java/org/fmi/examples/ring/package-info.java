/** A ring of ranks that continues without those that die. */
@NullMarked
package org.fmi.examples.ring;

import org.jspecify.annotations.NullMarked;
