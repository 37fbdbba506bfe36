/**
 * The decision maker of a job: a pure state machine, events in, commands out. No clock, socket,
 * thread or file in here.
 */
@NullMarked
package org.fmi.job;

import org.jspecify.annotations.NullMarked;
