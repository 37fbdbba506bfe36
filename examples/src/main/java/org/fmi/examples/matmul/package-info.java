/** Blocked matrix multiplication as a task graph. */
@NullMarked
package org.fmi.examples.matmul;

import org.jspecify.annotations.NullMarked;
