/**
 * The poll loop, and strategies of waiting. The application's thread makes all progress: whoever
 * blocks, polls.
 */
@NullMarked
package org.fmi.core.progress;

import org.jspecify.annotations.NullMarked;
