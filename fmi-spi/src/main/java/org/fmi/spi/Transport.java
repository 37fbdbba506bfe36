package org.fmi.spi;

import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames between this rank and other ranks during one epoch. A new epoch gets a new
 * transport with a new endpoint, so that no message can cross an epoch.
 *
 * <pre>
 *   Comm, collectives          org.fmi.core.comm, coll
 *   matching, eager/rendezvous org.fmi.core.p2p
 *   -------------------------- this contract
 *   shm | tcp | rdma           one provider each
 * </pre>
 *
 * <ul>
 *   <li>Called by one thread at a time, the application's. It may be a different thread each time.
 *       Only {@link #wakeup} may be called at any time.
 *   <li>Frames from one rank to another arrive whole, once, and in the order offered.
 *   <li>Only {@link #await} blocks. Connections are made on first use, during {@link #poll}.
 *   <li>A connection that breaks is reported by {@link FrameHandler#onPeerLost}; the transport
 *       never reconnects within an epoch.
 *   <li>{@link #offer}, {@link #poll}, {@link #await} and {@link #bell} throw {@link
 *       java.io.UncheckedIOException} if the system refuses what they need, such as a file
 *       descriptor. A frame may be lost then: the rank's process is replaced.
 * </ul>
 */
public interface Transport extends AutoCloseable {

  /** Short name, as in {@code --transport}. */
  String name();

  /** The medium that its messages travel through. */
  default Medium medium() {
    return Medium.OTHER;
  }

  /** The address of this rank, published to all ranks in H1. */
  byte[] endpoint();

  /**
   * Sets the endpoints of all ranks, by world rank. Called once, before the first {@link #offer}. A
   * rank with an empty endpoint does not use this transport.
   */
  void start(Endpoints endpoints);

  /** Whether {@code peer} can be reached by this transport. */
  boolean reaches(int peer);

  /** The most payload bytes a frame may have; a multiple of 64. */
  int maxPayload();

  /**
   * The longest message, in bytes, that is sent eagerly, without asking the receiver first; at most
   * {@link #maxPayload}.
   */
  int eagerLimit();

  /**
   * The limit on eager bytes to one peer that are in flight or unmatched there; other limits may be
   * lower.
   */
  default long windowBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Sends a frame, or refuses it for now (back-pressure). When it returns true, header and payload
   * have been copied or written, and the caller may change them. The frame leaves at once if the
   * connection has room, as the program may compute for a long time before its next call. May
   * refuse while the connection is being made.
   */
  boolean offer(int peer, Frame frame);

  /**
   * Whether every accepted frame reaches {@code peer} even if this transport is not called for a
   * long time. If not, {@link #poll} works on it, and {@link #await} ends when poll can continue.
   * True as well if the peer is lost.
   */
  default boolean handedOver(int peer) {
    return true;
  }

  /**
   * Makes progress: writes accepted frames, reads arrived frames, and passes each of them to {@code
   * handler} on this thread.
   *
   * @return the amount of work done; 0 if there was none
   */
  int poll(FrameHandler handler);

  /**
   * Blocks until there may be something to poll or room for a refused frame, {@link #wakeup} is
   * called, the bell rings, or {@code maxNanos} have passed. An earlier wakeup counts. May return
   * early.
   */
  void await(long maxNanos);

  /**
   * The bell by which other ranks of the node wake this rank from {@link #await}: a UDP port of the
   * loopback address, at which any datagram rings. A rank sleeps in the await of one transport
   * only; its other transports ring that transport's bell.
   *
   * @throws java.io.UncheckedIOException if no port is available
   */
  int bell();

  /**
   * Arms the transport, as the rank is about to sleep in another transport's await: from now on,
   * events for this transport ring that bell. A ring disarms it.
   *
   * @param bell see {@link #bell}
   * @return whether it was already armed with that bell. If not, something may have arrived just
   *     before: the caller polls, and keeps the first sleep short, as the event may stay invisible
   *     in the sender's store buffer for some microseconds.
   */
  boolean arm(int bell);

  /**
   * Whether a kernel thread may have to run on this rank's core before something arrives, as for a
   * device in software. A waiting rank then yields its core from time to time, even a dedicated
   * one.
   */
  default boolean needsYields() {
    return false;
  }

  /** Memory shared with other ranks of the node; null if this transport has none. */
  default @Nullable NodeShare share() {
    return null;
  }

  /**
   * Access to the memory of other ranks; null if this transport has none. Always the same object.
   */
  default @Nullable RemoteMemory remoteMemory() {
    return null;
  }

  /**
   * Ends {@link #await} now, or the next one at once. Any thread, at any time; does nothing after
   * {@link #close}.
   */
  void wakeup();

  /** Closes all connections at once and frees everything. Unwritten frames are dropped. */
  @Override
  void close();
}
