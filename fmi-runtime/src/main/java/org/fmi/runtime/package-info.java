/**
 * Ways into a job without the decision maker: the seat that {@code Fmi.init} finds in this process,
 * a job of one rank, and the job's side of jobs whose ranks are all in this process.
 */
@NullMarked
package org.fmi.runtime;

import org.jspecify.annotations.NullMarked;
