/** Output of a job for the user: of its ranks, its progress, its events. */
@NullMarked
package org.fmi.run.report;

import org.jspecify.annotations.NullMarked;
