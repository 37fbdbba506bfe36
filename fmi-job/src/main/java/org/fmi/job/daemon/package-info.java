/**
 * The decisions of a node's daemon: a pure state machine, with events and the time as input and
 * commands as output. It has no clock, socket, thread, process or file.
 */
@NullMarked
package org.fmi.job.daemon;

import org.jspecify.annotations.NullMarked;
