/** {@code fmi timeline}: the events of a job as a picture. */
@NullMarked
package org.fmi.run.timeline;

import org.jspecify.annotations.NullMarked;
