/** Tasks handed out to whoever asks, by receives from any source. */
@NullMarked
package org.fmi.examples.farm;

import org.jspecify.annotations.NullMarked;
