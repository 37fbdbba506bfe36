/** Objects of programs as bytes and back, behind a filter of classes. */
@NullMarked
package org.fmi.core.object;

import org.jspecify.annotations.NullMarked;
