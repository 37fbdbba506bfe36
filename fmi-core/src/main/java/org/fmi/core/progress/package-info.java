/** The poll loop and the wait strategies. */
@NullMarked
package org.fmi.core.progress;

import org.jspecify.annotations.NullMarked;
