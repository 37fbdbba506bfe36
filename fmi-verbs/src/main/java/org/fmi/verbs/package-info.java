/**
 * RDMA verbs through the libraries of rdma-core. Independent of messages; of ranks it knows only
 * how two of them prove that they belong to one job.
 *
 * <pre>
 *   Verbs              a device: queues, memory, connections      NativeVerbs   the foreign function API
 *   VerbsProvider      a library for devices                      OpenDevice    a device's attributes and events
 *   ManagedVerbs       the common part of all providers           BoundAddress  its listening address
 *   RdmaConnection     a queue pair to one peer
 *   ConnectionManager, ManagedConnection                      listens, dials, reports events
 *   Greeting           proof of the job's secret                  RdmaEndpoint  a rank's address
 *   Sleeper            waits for a device                         Structs       the C structures' layouts
 *   Devices, PortQuery, LockedMemory, Library                     the machine's equipment, for diagnosis
 * </pre>
 */
@NullMarked
package org.fmi.verbs;

import org.jspecify.annotations.NullMarked;
