/** Objects of programs as bytes. */
@NullMarked
package org.fmi.core.object;

import org.jspecify.annotations.NullMarked;
