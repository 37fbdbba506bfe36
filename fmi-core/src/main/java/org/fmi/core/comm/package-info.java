/**
 * Communicators and groups: checks of arguments, translation of ranks, agreement on new
 * communicators.
 */
@NullMarked
package org.fmi.core.comm;

import org.jspecify.annotations.NullMarked;
