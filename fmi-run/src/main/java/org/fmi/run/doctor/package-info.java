/** {@code fmi doctor}: checks of this machine, and trials of its transports. */
@NullMarked
package org.fmi.run.doctor;

import org.jspecify.annotations.NullMarked;
