/** What {@code Fmi.init} finds: this process's seat in a job, or a job of one rank. */
@NullMarked
package org.fmi.runtime;

import org.jspecify.annotations.NullMarked;
