@NullMarked
package org.fmi.job.daemon;

import org.jspecify.annotations.NullMarked;
