/**
 * Authenticated, framed connections: the handshake of every connection of a job, and a loop that
 * carries the control plane and the log-ring.
 */
@NullMarked
package org.fmi.net;

import org.jspecify.annotations.NullMarked;
