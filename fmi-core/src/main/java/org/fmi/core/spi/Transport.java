package org.fmi.core.spi;

import org.fmi.core.wire.Frame;

/**
 * Carries frames between this rank and others during one epoch. A new epoch gets a new transport
 * with a new endpoint, so that no message can cross an epoch.
 *
 * <pre>
 *   Comm, collectives          org.fmi.core.comm, coll
 *   matching, eager/rendezvous org.fmi.core.p2p
 *   -------------------------- this contract
 *   shm | tcp | rdma           one provider each
 * </pre>
 *
 * <ul>
 *   <li>Called by one thread, the application's; only {@link #wakeup} may be called by others.
 *   <li>Frames from one rank to another arrive whole, once, and in the order offered.
 *   <li>Nothing here blocks but {@link #await}; connections are made on first use, while {@link
 *       #poll} is called.
 *   <li>A connection that breaks is reported by {@link FrameHandler#onPeerLost}; the transport
 *       never reconnects within an epoch.
 * </ul>
 */
public interface Transport extends AutoCloseable {

  /** Short name, as in {@code --transport}. */
  String name();

  /** What others need to reach this rank; published to all in H1. */
  byte[] endpoint();

  /**
   * The endpoints of all ranks, by world rank. Called once, before the first {@link #offer}. A rank
   * whose endpoint is empty does not use this transport.
   */
  void start(byte[][] endpoints);

  /** Whether {@code peer} can be reached this way. */
  boolean reaches(int peer);

  /** The most payload bytes a frame may have; a multiple of 64. */
  int maxPayload();

  /**
   * The longest message in bytes that is best sent at once, without asking the receiver first; at
   * most {@link #maxPayload}.
   */
  int eagerLimit();

  /**
   * Sends a frame, or refuses it for now (back-pressure). Header and payload have been copied or
   * written when it returns true: the frame and its payload may be changed. It goes out at once as
   * far as the connection takes it: the program may compute for long before it calls again. May
   * refuse while the connection is being made.
   */
  boolean offer(int peer, Frame frame);

  /**
   * Makes progress: writes what was accepted, reads what has arrived, hands each frame to {@code
   * handler} on this thread.
   *
   * @return the amount of work done, 0 if there was none
   */
  int poll(FrameHandler handler);

  /**
   * Blocks until there may be something to poll, {@link #wakeup} is called, or {@code maxNanos}
   * have gone by. A wakeup that came before counts. May return early.
   */
  void await(long maxNanos);

  /**
   * Ends {@link #await} now, or the next one at once. Any thread, at any time: does nothing after
   * {@link #close}.
   */
  void wakeup();

  /** Closes all connections at once and frees everything; frames not yet written are dropped. */
  @Override
  void close();
}
