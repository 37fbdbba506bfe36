/** Tells whether this machine can run ranks, and how their messages would travel. */
@NullMarked
package org.fmi.run.doctor;

import org.jspecify.annotations.NullMarked;
