/** The command {@code fmirun}: its options, and the I/O shell around the decision maker. */
@NullMarked
package org.fmi.run.cli;

import org.jspecify.annotations.NullMarked;
