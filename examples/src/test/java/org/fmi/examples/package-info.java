/** Tests of the example programs without a runtime, and a world of threads to run them in. */
@NullMarked
package org.fmi.examples;

import org.jspecify.annotations.NullMarked;
