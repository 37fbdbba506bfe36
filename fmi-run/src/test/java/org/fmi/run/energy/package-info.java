@NullMarked
package org.fmi.run.energy;

import org.jspecify.annotations.NullMarked;
