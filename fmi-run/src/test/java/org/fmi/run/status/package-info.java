@NullMarked
package org.fmi.run.status;

import org.jspecify.annotations.NullMarked;
