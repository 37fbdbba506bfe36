/** The command {@code fmi}: inspects running jobs and this machine. */
@NullMarked
package org.fmi.run.tool;

import org.jspecify.annotations.NullMarked;
