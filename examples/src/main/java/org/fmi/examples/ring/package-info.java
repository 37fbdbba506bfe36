/** A ring of ranks that goes on without those that die. */
@NullMarked
package org.fmi.examples.ring;

import org.jspecify.annotations.NullMarked;
