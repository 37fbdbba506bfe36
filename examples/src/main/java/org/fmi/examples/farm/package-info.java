/** A task farm: tasks for the worker that asks next, by receives from any source. */
@NullMarked
package org.fmi.examples.farm;

import org.jspecify.annotations.NullMarked;
