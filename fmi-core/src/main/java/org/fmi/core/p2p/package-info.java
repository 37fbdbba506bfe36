/** The data path: matching, eager and rendezvous protocols, flow control. */
@NullMarked
package org.fmi.core.p2p;

import org.jspecify.annotations.NullMarked;
