/**
 * Authenticated, framed connections: the handshake every connection of a job passes, and a loop
 * that carries the control plane and the log-ring.
 */
@NullMarked
package org.fmi.net;

import org.jspecify.annotations.NullMarked;
