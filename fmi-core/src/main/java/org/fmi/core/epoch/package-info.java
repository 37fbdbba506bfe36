/**
 * A rank's way into an epoch: joining it with all others, hearing of failures, and what ranks tell
 * each other before the program may communicate in it.
 */
@NullMarked
package org.fmi.core.epoch;

import org.jspecify.annotations.NullMarked;
