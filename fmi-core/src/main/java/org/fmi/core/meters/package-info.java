/** The program's own meters, and their readings for the job. */
@NullMarked
package org.fmi.core.meters;

import org.jspecify.annotations.NullMarked;
