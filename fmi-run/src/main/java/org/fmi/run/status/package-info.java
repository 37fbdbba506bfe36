/**
 * The state of a running job, and the socket where {@code fmi} asks for it from another terminal.
 */
@NullMarked
package org.fmi.run.status;

import org.jspecify.annotations.NullMarked;
