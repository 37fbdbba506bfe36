@NullMarked
package org.fmi.run.daemon;

import org.jspecify.annotations.NullMarked;
