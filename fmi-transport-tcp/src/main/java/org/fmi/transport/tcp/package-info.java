/** Frames over TCP, driven by the application's own thread. */
@NullMarked
package org.fmi.transport.tcp;

import org.jspecify.annotations.NullMarked;
