/**
 * The seat in a job that {@code Fmi.init} finds in this process, a job of one rank if there is
 * none, and the job's side of jobs whose ranks are all in this process.
 */
@NullMarked
package org.fmi.runtime;

import org.jspecify.annotations.NullMarked;
