/** The smallest program: who takes part. */
@NullMarked
package org.fmi.examples.hello;

import org.jspecify.annotations.NullMarked;
