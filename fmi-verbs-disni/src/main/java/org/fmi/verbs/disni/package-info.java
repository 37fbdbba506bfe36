/**
 * RDMA verbs through DiSNI 2.1 (jVerbs), for sites that run it.
 *
 * <pre>
 *   DisniVerbsProvider  chosen by FMI_VERBS=disni     DisniVerbs     a device: queues, memory, completions
 *   Libdisni            the site's native library     DisniPair      a queue pair and its receive buffers
 *   ReceiveQueue        the caller's buffers          WorkId         the id of a work request
 *   ------------------------------------------------------------------------------------------------
 *   org.fmi.verbs       connections, limits and device events, of which DiSNI offers too little
 * </pre>
 *
 * <p>DiSNI has no shared receive queue. So each connection has its own buffers, and messages that
 * arrive in them are copied into the caller's.
 */
@NullMarked
package org.fmi.verbs.disni;

import org.jspecify.annotations.NullMarked;
