/** What is known of a running job, and how {@code fmi} asks for it from another terminal. */
@NullMarked
package org.fmi.run.status;

import org.jspecify.annotations.NullMarked;
