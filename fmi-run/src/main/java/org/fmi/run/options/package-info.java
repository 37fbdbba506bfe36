/** What the user asked for: settings, where they come from, and the job they describe. */
@NullMarked
package org.fmi.run.options;

import org.jspecify.annotations.NullMarked;
