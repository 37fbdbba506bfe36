/** Communicators, groups and context ids. */
@NullMarked
package org.fmi.core.comm;

import org.jspecify.annotations.NullMarked;
