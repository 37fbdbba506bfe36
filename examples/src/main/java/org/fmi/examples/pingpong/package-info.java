/** Latency and bandwidth between two ranks. */
@NullMarked
package org.fmi.examples.pingpong;

import org.jspecify.annotations.NullMarked;
