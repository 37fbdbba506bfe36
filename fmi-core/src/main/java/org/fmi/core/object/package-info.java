/** Conversion of programs' objects to bytes and back, behind a class filter. */
@NullMarked
package org.fmi.core.object;

import org.jspecify.annotations.NullMarked;
