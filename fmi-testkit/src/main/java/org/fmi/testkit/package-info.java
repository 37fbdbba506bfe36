/**
 * A deterministic simulator: ranks, their network, nodes and failures in one JVM, in virtual time,
 * from a seed.
 *
 * <pre>
 *   test: Supervisor (stands for fmirun)   SimDaemon (decides)    SimProgram (stands for main)
 *              |  commands, losses               |  SimHost              |  SPI bundle
 *          SimCluster -- SimControl, nodes ------+              SimProcess: transports, streams, memory,
 *              |                                              |         job link, clock
 *          SimFaults, SimNetwork                          SimThread
 *              +--------------------- Simulation -------------+      virtual time, one thread runs at a time
 * </pre>
 */
@NullMarked
package org.fmi.testkit;

import org.jspecify.annotations.NullMarked;
