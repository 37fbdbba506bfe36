package org.fmi.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An open RDMA device: one protection domain, one completion queue, one receive queue shared by all
 * connections, and one listening address. Used by one thread at a time. No method blocks.
 *
 * <p>Completions carry the {@code id} given with the work: not negative for sends, negative for
 * receive buffers. A connection completes its sends in order; a completed send implies the
 * completion of all earlier ones, including those not {@link RdmaConnection#SIGNALLED}. Each
 * outstanding work request of a failed connection completes with an error.
 */
public interface Verbs extends AutoCloseable {
  /** Allows this side's work to write the memory. Reading is always allowed. */
  int LOCAL_WRITE = 1;

  /** Allows connected peers to read the memory. */
  int REMOTE_READ = 4;

  /**
   * The capacities of the queues. The caller must not overrun them.
   *
   * @param sends the most outstanding work requests per connection
   * @param inline the bytes that a send may carry in the work request itself, if the device can
   * @param receives the buffers in the shared receive queue
   * @param completions the most completions before a poll: {@code receives}, plus {@code sends} for
   *     each possible connection
   * @param window the most messages that a connection's peer may send before the first of them is
   *     polled
   */
  record Sizes(int sends, int inline, int receives, int completions, int window) {
    /** Sizes that allow a connection's peer to use all buffers of the shared receive queue. */
    public Sizes(int sends, int inline, int receives, int completions) {
      this(sends, inline, receives, completions, receives);
    }
  }

  /**
   * The device's limits.
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
   * Makes the queues and starts to listen. Called first.
   *
   * @throws IOException if the device refuses; the message says what would help
   */
  void open(Sizes sizes) throws IOException;

  /** The listening address. */
  InetSocketAddress address();

  /** The most bytes per work request. */
  int longestMessage();

  /** The bytes that a send may carry in the work request itself; known after {@link #open}. */
  int inline();

  /**
   * Registers memory with the device, which pins it, for this side's work only.
   *
   * @throws IOException if the device refuses; the message says what would help
   */
  default Region register(MemorySegment memory) throws IOException {
    return register(memory, LOCAL_WRITE);
  }

  /**
   * Registers memory with the device, which pins it.
   *
   * @param access of {@link #LOCAL_WRITE} and {@link #REMOTE_READ}
   * @throws IOException if the device refuses; the message says what would help
   */
  Region register(MemorySegment memory, int access) throws IOException;

  /**
   * Posts a buffer to the shared receive queue.
   *
   * @param id negative
   * @param bytes the same for all buffers
   */
  void postReceive(long id, long address, int bytes, int key) throws IOException;

  // ---- completions

  /**
   * Fetches completions, replacing those fetched before.
   *
   * @return the number of completions; 0 if there are none
   */
  int poll() throws IOException;

  /** The work id of the i-th fetched completion. */
  long id(int i);

  /** Whether the i-th fetched work has succeeded; if not, only its id and connection are valid. */
  boolean succeeded(int i);

  /** For a person: the failure of the i-th fetched work. */
  String failure(int i);

  /** The {@link RdmaConnection#number} of the i-th completion's connection. */
  int connection(int i);

  /** The number of bytes that have arrived. */
  int bytes(int i);

  /** The immediate value that arrived with them. */
  int immediate(int i);

  /**
   * Requests that the next completion make {@link #completionDescriptor} readable. Earlier
   * completions are not reported: poll after this call.
   */
  void requestNotification() throws IOException;

  /** Takes the notifications that have made {@link #completionDescriptor} readable. */
  void takeNotifications() throws IOException;

  // ---- connections

  /** Starts to connect. {@link #nextEvent} continues the attempt and reports its outcome. */
  RdmaConnection dial(InetSocketAddress to, byte[] greeting) throws IOException;

  /** The next event of a connection; null if there is none. */
  @Nullable Event nextEvent() throws IOException;

  /**
   * Whether the device or its port has failed since the last call. A removed device stays failed.
   *
   * @return for a person: the failure; null if there is none
   */
  @Nullable String deviceFailure() throws IOException;

  /**
   * An event of a connection.
   *
   * @param greeting the other side's bytes; zeros may follow
   * @param reason for a person; not for {@link Kind#REQUEST} and {@link Kind#ESTABLISHED}
   */
  record Event(Kind kind, RdmaConnection connection, byte[] greeting, String reason) {
    /** The kind of an event. */
    public enum Kind {
      /** A peer dials; the owner accepts or refuses. */
      REQUEST,
      /** Both sides have agreed. */
      ESTABLISHED,
      /** The other side refused, or no process listens there. */
      REJECTED,
      /** The connection could not be made. */
      FAILED,
      /**
       * This side has found no route to the other side. The network's manager may be slow to
       * answer: this is no evidence against the other side.
       */
      UNRESOLVED,
      /**
       * The other side has not answered in time: it is silent, or handles no events. An attempt by
       * this side has ended. A request that this side has accepted may still become a connection,
       * which its first message reveals; its end is not reported.
       */
      UNANSWERED,
      /** The connection could not be made: this side's device has refused a queue pair. */
      REFUSED_HERE,
      /** The other side has ended the connection, or its process has ended. */
      DISCONNECTED
    }
  }

  // ---- waiting: file descriptors that become readable

  /** See {@link #requestNotification}. */
  int completionDescriptor();

  /** Readable when there is an event for {@link #nextEvent}. */
  int eventDescriptor();

  /** Readable when there may be a failure for {@link #deviceFailure}. */
  int failureDescriptor();

  /** Closes everything left: connections first, then registrations. */
  @Override
  void close() throws IOException;

  /** Registered memory. */
  interface Region extends AutoCloseable {
    /** The key for this side's work. */
    int key();

    /** The key for the other side's {@link RdmaConnection#read}. */
    int remoteKey();

    /** Ends the device's access: later reads of it break their connection. */
    @Override
    void close() throws IOException;
  }
}
