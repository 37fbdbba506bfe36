/**
 * The state of a running job, and the socket through which {@code fmi} requests it from another
 * terminal.
 */
@NullMarked
package org.fmi.run.status;

import org.jspecify.annotations.NullMarked;
