/**
 * RDMA verbs through DiSNI 2.1 (jVerbs), for sites that run it.
 *
 * <pre>
 *   DisniVerbsProvider  chosen by FMI_VERBS=disni     DisniVerbs     a device: queues, memory, completions
 *   Libdisni            the site's native library     DisniPair      a queue pair and its receive buffers
 *   ReceiveQueue        the caller's buffers          WorkId         what names work to the device
 *   ------------------------------------------------------------------------------------------------
 *   org.fmi.verbs       connections, limits and device events: DiSNI hands on too little of them
 * </pre>
 *
 * <p>DiSNI has no shared receive queue. So each connection has buffers of its own, and what arrives
 * in them is copied into the caller's.
 */
@NullMarked
package org.fmi.verbs.disni;

import org.jspecify.annotations.NullMarked;
