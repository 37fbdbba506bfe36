/**
 * The decisions of a node's daemon: a pure state machine, events and the time in, commands out. No
 * clock, socket, thread, process or file in here.
 */
@NullMarked
package org.fmi.job.daemon;

import org.jspecify.annotations.NullMarked;
