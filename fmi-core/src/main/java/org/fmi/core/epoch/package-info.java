/**
 * A rank's entry into an epoch: joining it with all other ranks, learning of failures, and
 * exchanges between ranks before the program may communicate in it.
 */
@NullMarked
package org.fmi.core.epoch;

import org.jspecify.annotations.NullMarked;
