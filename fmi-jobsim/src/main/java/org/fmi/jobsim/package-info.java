/** Whole jobs in one JVM, from a seed: real decisions and ranks on simulated nodes and networks. */
@NullMarked
package org.fmi.jobsim;

import org.jspecify.annotations.NullMarked;
