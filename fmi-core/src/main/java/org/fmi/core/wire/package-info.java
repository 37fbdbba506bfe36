/** The layout of a frame, the unit that transports carry. */
@NullMarked
package org.fmi.core.wire;

import org.jspecify.annotations.NullMarked;
