/** Tests of the example {@code farm}. */
@NullMarked
package org.fmi.examples.farm;

import org.jspecify.annotations.NullMarked;
