/** The layout of a frame, the unit that transports carry. */
@NullMarked
package org.fmi.wire;

import org.jspecify.annotations.NullMarked;
