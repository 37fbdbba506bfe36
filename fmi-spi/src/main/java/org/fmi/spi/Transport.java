package org.fmi.spi;

import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

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
 *   <li>Called by one thread at a time, the application's, not always the same one: threads take
 *       turns. Only {@link #wakeup} may be called at any time.
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

  /** The medium that its messages travel through. */
  default Medium medium() {
    return Medium.OTHER;
  }

  /** What others need to reach this rank; published to all in H1. */
  byte[] endpoint();

  /**
   * The endpoints of all ranks, by world rank. Called once, before the first {@link #offer}. A rank
   * whose endpoint is empty does not use this transport.
   */
  void start(Endpoints endpoints);

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
   * The most bytes of messages sent at once that are to be on the way to one peer, or there without
   * a receive; other limits may be lower.
   */
  default long windowBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Sends a frame, or refuses it for now (back-pressure). Header and payload have been copied or
   * written when it returns true: the frame and its payload may be changed. It goes out at once as
   * far as the connection takes it: the program may compute for long before it calls again. May
   * refuse while the connection is being made.
   */
  boolean offer(int peer, Frame frame);

  /**
   * Whether all that was accepted for {@code peer} reaches it even if nothing here is called for
   * long. If not, {@link #poll} works on that, and {@link #await} ends when it can go on. True too
   * if the peer is lost.
   */
  default boolean handedOver(int peer) {
    return true;
  }

  /**
   * Makes progress: writes what was accepted, reads what has arrived, hands each frame to {@code
   * handler} on this thread.
   *
   * @return the amount of work done, 0 if there was none
   */
  int poll(FrameHandler handler);

  /**
   * Blocks until there may be something to poll or room for a frame that was refused, {@link
   * #wakeup} is called, the bell rings, or {@code maxNanos} have gone by. A wakeup that came before
   * counts. May return early.
   */
  void await(long maxNanos);

  /**
   * Where this rank is woken from {@link #await} by others of its node: a UDP port of the loopback
   * address; any datagram that arrives there rings the bell. A rank sleeps in one transport's await
   * only; its other transports ring there.
   *
   * @throws java.io.UncheckedIOException if no port can be had
   */
  int bell();

  /**
   * The rank is about to sleep in another transport's await: from now on, what await waits for
   * rings that transport's bell. A ring disarms.
   *
   * @param bell see {@link #bell}
   * @return whether it was armed with that bell before. If not, something may have come just before
   *     it was: poll, and let the first sleep be short, for on its way through the sender's store
   *     buffer it may be invisible for some microseconds still.
   */
  boolean arm(int bell);

  /**
   * Whether a thread of the kernel may have to run on this rank's core before something arrives, as
   * for a device in software. A rank that waits then yields its core now and then, even its own.
   */
  default boolean needsYields() {
    return false;
  }

  /** Memory shared with other ranks of the node; null if this transport has none. */
  default @Nullable NodeShare share() {
    return null;
  }

  /** Reads the memory of other ranks; null if this transport cannot. Always the same. */
  default @Nullable RemoteMemory remoteMemory() {
    return null;
  }

  /**
   * Ends {@link #await} now, or the next one at once. Any thread, at any time: does nothing after
   * {@link #close}.
   */
  void wakeup();

  /** Closes all connections at once and frees everything; frames not yet written are dropped. */
  @Override
  void close();
}
