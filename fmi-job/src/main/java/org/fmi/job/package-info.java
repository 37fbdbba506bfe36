/**
 * The decision maker of a job: a pure state machine, with events as input and commands as output.
 * It has no clock, socket, thread or file.
 */
@NullMarked
package org.fmi.job;

import org.jspecify.annotations.NullMarked;
