/** What the user sees of a job: its output, its progress, its events. */
@NullMarked
package org.fmi.run.report;

import org.jspecify.annotations.NullMarked;
