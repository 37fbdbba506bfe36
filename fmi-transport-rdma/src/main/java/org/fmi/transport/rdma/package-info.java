/**
 * Frames over RDMA: one reliable connection per pair of ranks that communicate, polled by the
 * application's own thread.
 *
 * <pre>
 *   RdmaTransport   poll, offer, await                        Ringer     rings another transport's bell
 *   LinkSetup       dials, accepts                            Diagnosis  what a machine lacks
 *   Links           the connections, and lost peers           Shutdown   memory is freed last
 *   Link            one peer: credits, work outstanding
 *   Completions     the device's completions
 *   SendPool        buffers of outgoing frames
 *   ReceivePool     receive buffers, shared by all
 *   Reads, Read     reads of long messages in peers' memory  RegistrationCache  that memory
 *   ------------------------------------------------------------------------------------------
 *   org.fmi.verbs   the device
 * </pre>
 *
 * <p><b>Copies.</b> A frame is copied into a registered buffer and arrives in one; a small frame is
 * copied into the work request. A message longer than a frame travels as a row of frames, so that
 * the copies on both sides overlap with the wire. A message from native memory to native memory is
 * not copied: the receiver's device reads it in place ({@link org.fmi.spi.RemoteMemory}).
 *
 * <p><b>Outstanding work.</b> A read counts like a send: a connection has a fixed number of
 * outstanding work requests, for which the completion queue has room. {@link
 * org.fmi.transport.rdma.Link} reads only a few pieces of a message at a time, so that frames get
 * their turn.
 *
 * <p><b>Credits.</b> A receiver never lacks buffers: each peer may have as many frames in flight as
 * it was granted, and every grant is backed by a posted buffer of the queue that all connections
 * share. Each frame carries the total number of grants as its immediate value. A rank without
 * frames to send grants by an empty message. Empty messages take buffers too; {@link
 * org.fmi.transport.rdma.Link} explains why two per peer are enough.
 *
 * <p><b>Memory.</b> Locked memory is about half a MiB for each of the first eight peers, about 64
 * KiB for each further peer, and 1 MiB for sends; nothing for peers without communication.
 */
@NullMarked
package org.fmi.transport.rdma;

import org.jspecify.annotations.NullMarked;
