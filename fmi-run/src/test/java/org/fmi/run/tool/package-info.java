@NullMarked
package org.fmi.run.tool;

import org.jspecify.annotations.NullMarked;
