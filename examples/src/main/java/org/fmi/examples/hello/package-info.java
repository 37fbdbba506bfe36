/** The smallest program: each rank says who it is. */
@NullMarked
package org.fmi.examples.hello;

import org.jspecify.annotations.NullMarked;
