@NullMarked
package org.fmi.run.cli;

import org.jspecify.annotations.NullMarked;
