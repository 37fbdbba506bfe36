/**
 * Frames over RDMA: one reliable connection for each pair of ranks that talks, polled by the
 * application's own thread.
 *
 * <pre>
 *   RdmaTransport   poll, offer, await                        Ringer     rings another's bell
 *   LinkSetup       who dials whom                            Diagnosis  what a machine lacks
 *   Links           the connections, and who is lost          Shutdown   memory is freed last
 *   Link            one peer: credits, work outstanding
 *   Completions     what the device has done
 *   SendPool        buffers on their way out
 *   ReceivePool     buffers for what arrives, shared by all
 *   Reads, Read     long messages, out of the peer's memory   RegistrationCache  that memory
 *   ------------------------------------------------------------------------------------------
 *   org.fmi.verbs   the device
 * </pre>
 *
 * <p><b>Copies.</b> A frame is copied into a registered buffer and arrives in one; a small one is
 * copied into the work request. A message longer than a frame comes as a row of frames, so that the
 * copies on both sides and the wire work at the same time. Not so one that lies in native memory
 * and is received into native memory: the receiver's device reads it where it lies ({@link
 * org.fmi.spi.RemoteMemory}).
 *
 * <p><b>Work outstanding.</b> A read counts like a send: a connection has a fixed number of pieces
 * of work outstanding, for which there is room in the completion queue. Of them {@link
 * org.fmi.transport.rdma.Link} reads a few pieces of a message at a time, so that frames get their
 * turn.
 *
 * <p><b>Credits.</b> A receiver never runs dry: each peer may have as many frames under way as it
 * was granted, and every grant is backed by a posted buffer of the queue that all connections
 * share. Grants travel with each frame, as the immediate number, which counts all grants there ever
 * were. A rank that has nothing to send tells them by an empty message. Those take buffers too; see
 * {@link org.fmi.transport.rdma.Link} on why two a peer are enough.
 *
 * <p><b>Memory.</b> About 64 KiB locked for each peer talked to, for the first eight about half a
 * MiB, and 1 MiB for what goes out; nothing for peers never talked to.
 */
@NullMarked
package org.fmi.transport.rdma;

import org.jspecify.annotations.NullMarked;
