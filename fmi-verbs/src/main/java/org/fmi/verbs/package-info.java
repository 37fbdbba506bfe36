/**
 * RDMA verbs through the stock libraries of rdma-core. Knows nothing of messages, and of ranks only
 * how two of them prove to each other that they belong to one job.
 *
 * <pre>
 *   Verbs              a device: queues, memory, connections      NativeVerbs   the foreign function API
 *   VerbsProvider      which library does the work                OpenDevice    what a device says of itself
 *   ManagedVerbs       what is the same for all providers         BoundAddress  where it listens
 *   RdmaConnection     a queue pair to one peer
 *   ConnectionManager, ManagedConnection                      listens, dials, tells what happens
 *   Greeting           proof of the job's secret                  RdmaEndpoint  where a rank listens
 *   Sleeper            where a thread waits for a device          Structs       the C structures' layouts
 *   Devices, PortQuery, LockedMemory, Library                     what there is, for a person who asks
 * </pre>
 */
@NullMarked
package org.fmi.verbs;

import org.jspecify.annotations.NullMarked;
