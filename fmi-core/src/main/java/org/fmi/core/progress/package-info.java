/**
 * The poll loop and how a rank waits. The application's thread makes all progress: whoever blocks,
 * polls.
 */
@NullMarked
package org.fmi.core.progress;

import org.jspecify.annotations.NullMarked;
