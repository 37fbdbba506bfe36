/** The command {@code fmirun}: the I/O shell around the decision maker. */
@NullMarked
package org.fmi.run.shell;

import org.jspecify.annotations.NullMarked;
