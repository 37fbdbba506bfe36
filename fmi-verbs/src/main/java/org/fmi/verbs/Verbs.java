package org.fmi.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An RDMA device at work: one protection domain, one queue of completions, one queue of receive
 * buffers that all connections share, and one place where it listens. Used by one thread at a time.
 * Nothing here blocks.
 *
 * <p>Completions carry the {@code id} given with the work: not negative for sends, negative for
 * receive buffers. A connection completes its sends in their order; a completed send says that all
 * before it have completed too, those not {@link RdmaConnection#SIGNALLED} included. Work that is
 * outstanding when a connection fails completes with an error, each piece of it.
 */
public interface Verbs extends AutoCloseable {
  /** This side's work may write the memory. That it may read it goes without saying. */
  int LOCAL_WRITE = 1;

  /** Who is connected may read the memory. */
  int REMOTE_READ = 4;

  /**
   * How much the queues hold. That no queue overruns is the caller's part.
   *
   * @param sends work a connection may have outstanding
   * @param inline bytes a send may carry in the work request itself, if the device can
   * @param receives buffers in the shared receive queue
   * @param completions completions nobody has polled yet: {@code receives}, and {@code sends} for
   *     each connection there may be
   * @param window messages that a connection's peer may send before the first of them was polled
   */
  record Sizes(int sends, int inline, int receives, int completions, int window) {
    /** A connection's peer may use all buffers of the shared receive queue. */
    public Sizes(int sends, int inline, int receives, int completions) {
      this(sends, inline, receives, completions, receives);
    }
  }

  /**
   * What the device can do at most.
   *
   * @param sends see {@link Sizes#sends}
   * @param receives see {@link Sizes#receives}
   * @param completions see {@link Sizes#completions}
   */
  record Limits(int sends, int receives, int completions) {}

  /** For a person: the device, its port and address. */
  String device();

  Limits limits();

  /**
   * Makes the queues and begins to listen; before anything else.
   *
   * @throws IOException if the device refuses; the message says what would help
   */
  void open(Sizes sizes) throws IOException;

  /** Where it listens. */
  InetSocketAddress address();

  /** The most bytes that one piece of work may move. */
  int longestMessage();

  /** Bytes a send may carry in the work request itself; known from {@link #open} on. */
  int inline();

  /**
   * Makes memory known to the device, which pins it: for this side's work only.
   *
   * @throws IOException if the device refuses; the message says what would help
   */
  default Region register(MemorySegment memory) throws IOException {
    return register(memory, LOCAL_WRITE);
  }

  /**
   * Makes memory known to the device, which pins it.
   *
   * @param access of {@link #LOCAL_WRITE} and {@link #REMOTE_READ}
   * @throws IOException if the device refuses; the message says what would help
   */
  Region register(MemorySegment memory, int access) throws IOException;

  /**
   * Gives a buffer to the shared receive queue.
   *
   * @param id negative
   * @param bytes the same for all buffers
   */
  void postReceive(long id, long address, int bytes, int key) throws IOException;

  // ---- completions

  /**
   * Fetches completions, replacing those fetched before.
   *
   * @return how many, 0 if there are none
   */
  int poll() throws IOException;

  /** Of the i-th completion fetched: the id of the work. */
  long id(int i);

  /** Whether the i-th work fetched has succeeded; if not, all but its id and connection is void. */
  boolean succeeded(int i);

  /** For a person: why the i-th work fetched has failed. */
  String failure(int i);

  /** {@link RdmaConnection#number} of the i-th completion's connection. */
  int connection(int i);

  /** Bytes that have arrived. */
  int bytes(int i);

  /** The number that came with them. */
  int immediate(int i);

  /**
   * Asks that the next completion makes {@link #completionDescriptor} readable. What came before is
   * not reported: poll after it.
   */
  void requestNotification() throws IOException;

  /** Takes what has made {@link #completionDescriptor} readable. */
  void takeNotifications() throws IOException;

  // ---- connections

  /** Begins to connect. {@link #nextEvent} goes on with it and tells how it ends. */
  RdmaConnection dial(InetSocketAddress to, byte[] greeting) throws IOException;

  /** What happened next with connections; null if nothing has. */
  @Nullable Event nextEvent() throws IOException;

  /**
   * Whether the device or its port has failed since last asked. One that was removed stays so.
   *
   * @return for a person: what happened; null if nothing has
   */
  @Nullable String deviceFailure() throws IOException;

  /**
   * Something happened with a connection.
   *
   * @param greeting what the other side said with it; it may be followed by zeros
   * @param reason for a person; not of {@link Kind#REQUEST} and {@link Kind#ESTABLISHED}
   */
  record Event(Kind kind, RdmaConnection connection, byte[] greeting, String reason) {
    /** What happened. */
    public enum Kind {
      /** Somebody dials; to be accepted or refused. */
      REQUEST,
      /** Both sides have agreed. */
      ESTABLISHED,
      /** The other side refused, or nobody listens there. */
      REJECTED,
      /** It could not be made. */
      FAILED,
      /**
       * This side has not found the way to the other one. Whoever knows the network may be slow to
       * answer: it says nothing of the other side.
       */
      UNRESOLVED,
      /**
       * The other side has not answered in time: it is silent, or has not looked. An attempt of
       * this side's has ended. A request that this side has accepted may still come to stand, which
       * its first message tells then; its end is not reported.
       */
      UNANSWERED,
      /** It could not be made: this side's device has refused a queue pair. */
      REFUSED_HERE,
      /** The other side has ended it, or its process has ended. */
      DISCONNECTED
    }
  }

  // ---- waiting: file descriptors that become readable

  /** See {@link #requestNotification}. */
  int completionDescriptor();

  /** There is something for {@link #nextEvent}. */
  int eventDescriptor();

  /** There may be something for {@link #deviceFailure}. */
  int failureDescriptor();

  /** Ends what is left: connections first, then registrations. */
  @Override
  void close() throws IOException;

  /** Registered memory. */
  interface Region extends AutoCloseable {
    /** What this side's work names it by. */
    int key();

    /** What the other side's {@link RdmaConnection#read} names it by. */
    int remoteKey();

    /** From now on the device does not touch it: reads that come for it break their connection. */
    @Override
    void close() throws IOException;
  }
}
