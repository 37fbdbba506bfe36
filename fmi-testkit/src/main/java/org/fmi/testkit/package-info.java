/**
 * A deterministic simulator: ranks, their network, nodes and failures in one JVM, in virtual time,
 * from a seed.
 *
 * <pre>
 *   test: Supervisor (stands for fmirun)       SimProgram (stands for main)
 *              |  commands, reports                 |  SPI bundle
 *          SimCluster  -- nodes, faults -->  SimProcess: transports, detector, memory, job link, clock
 *              |                                    |
 *          SimNetwork, SimDetectors             SimThread
 *              +----------------- Simulation -------+      virtual time, one thread runs at a time
 * </pre>
 */
@NullMarked
package org.fmi.testkit;

import org.jspecify.annotations.NullMarked;
