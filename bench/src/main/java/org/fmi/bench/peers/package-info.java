/** Programs that {@code bench/peers/run} runs on FMI, to compare it with MPI in C. */
@NullMarked
package org.fmi.bench.peers;

import org.jspecify.annotations.NullMarked;
