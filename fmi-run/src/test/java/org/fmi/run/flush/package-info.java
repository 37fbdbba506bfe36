@NullMarked
package org.fmi.run.flush;

import org.jspecify.annotations.NullMarked;
