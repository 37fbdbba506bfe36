/**
 * RDMA verbs through the stock libraries of rdma-core. Knows nothing of ranks or messages.
 *
 * <pre>
 *   Verbs         a device: queues, memory, connections     Connection    a queue pair to one peer
 *   NativeVerbs   by the foreign function API               Structs       the C structures' layouts
 *   Devices, PortQuery, LockedMemory, Library               what there is, for a person who asks
 * </pre>
 */
@NullMarked
package org.fmi.verbs;

import org.jspecify.annotations.NullMarked;
