/** The program's own meters. */
@NullMarked
package org.fmi.core.meters;

import org.jspecify.annotations.NullMarked;
