@NullMarked
package org.fmi.run.control;

import org.jspecify.annotations.NullMarked;
