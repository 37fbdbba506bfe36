/**
 * Interfaces that a runtime implements for the public API. Programs do not use this package: it may
 * change in any version.
 */
@NullMarked
package org.fmi.provider;

import org.jspecify.annotations.NullMarked;
