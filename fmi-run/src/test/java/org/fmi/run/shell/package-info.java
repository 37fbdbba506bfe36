@NullMarked
package org.fmi.run.shell;

import org.jspecify.annotations.NullMarked;
