@NullMarked
package org.fmi.run.launch;

import org.jspecify.annotations.NullMarked;
