/**
 * Frames between the ranks of one node, through rings in shared memory.
 *
 * <pre>
 *   rank A                                                       rank B
 *   OutRing  --frames-->  ring A to B (a file, mapped by both)  --> InRing
 *        \--"a ring", "bell?"-->  Inbox of B  <--"asleep, ring port P"--/
 *        \--datagram to P--------------------------------------> Bell of B, or its TCP transport
 * </pre>
 *
 * Long messages in native memory can be read from it instead, with one copy: {@link
 * org.fmi.transport.shm.PeerMemory}.
 *
 * <p>{@link org.fmi.transport.shm.ShmTransport} carries the frames, over rings created by {@link
 * org.fmi.transport.shm.RingMaker}; {@link org.fmi.transport.shm.ShmShare} is the memory for
 * collectives. Both use {@link org.fmi.transport.shm.Neighbours} for the other ranks of the node.
 */
@NullMarked
package org.fmi.transport.shm;

import org.jspecify.annotations.NullMarked;
