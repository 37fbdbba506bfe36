/**
 * The poll loop and the wait strategies. The application's thread makes all progress: a thread that
 * blocks also polls.
 */
@NullMarked
package org.fmi.core.progress;

import org.jspecify.annotations.NullMarked;
