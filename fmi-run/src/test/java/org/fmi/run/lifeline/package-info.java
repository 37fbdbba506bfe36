@NullMarked
package org.fmi.run.lifeline;

import org.jspecify.annotations.NullMarked;
