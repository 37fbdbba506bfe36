@NullMarked
package org.fmi.run.process;

import org.jspecify.annotations.NullMarked;
