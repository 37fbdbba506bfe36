@NullMarked
package org.fmi.run.options;

import org.jspecify.annotations.NullMarked;
