/**
 * {@code fmi doctor}: checks of this machine, and trials of the ways that messages would travel.
 */
@NullMarked
package org.fmi.run.doctor;

import org.jspecify.annotations.NullMarked;
