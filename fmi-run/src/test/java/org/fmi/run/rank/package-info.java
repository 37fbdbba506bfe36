@NullMarked
package org.fmi.run.rank;

import org.jspecify.annotations.NullMarked;
