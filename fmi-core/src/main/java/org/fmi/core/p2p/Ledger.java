package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Tracks a rank's messages so that they can be sent or received again after a failure. It is the
 * data path's only view of recovery. {@link #NONE} tracks nothing; each default method defines what
 * that means.
 *
 * <p>Called by the application's thread, within the call in question. A ledger stores its state of
 * a request or message in a {@link Tracked} there.
 */
public interface Ledger {
  /** Tracks nothing. */
  Ledger NONE = new Ledger() {};

  /** A ledger's state of a request, or of an unmatched message. */
  interface Tracked {
    /** Clears the state, as the request or message is reused. */
    void reset();
  }

  /** A message that a probe has found. */
  record Found(int source, int tag) {
    /** The result of a probe that has found no message. */
    public static final Found NOTHING = new Found(-1, -1);
  }

  /** The path to a peer, for frames ahead of a message. */
  interface Link {
    /** The peer's rank. */
    int rank();

    /** The most payload bytes a frame may have. */
    int maxPayload();

    /** The frame for {@link #offer}, which sets its kind and epoch. */
    Frame frame();

    /** Sends the frame, or refuses it for now. */
    boolean offer();
  }

  /** Whether it tracks messages. If so, each message needs a number, and each send a request. */
  default boolean isOn() {
    return false;
  }

  // ---- epochs

  /**
   * Begins an epoch.
   *
   * @param continues whether the program's calls continue in it; if not, all state is dropped
   */
  default void enters(boolean continues) {}

  /** Restarts or ends tracking at a recovery line without in-transit messages. */
  default void atRecoveryLine(boolean begins) {}

  /** Whether an unmatched message will be sent again in the epoch that begins. */
  default boolean isResent(UnexpectedMessage message) {
    return false;
  }

  /** Whether a pending send will be sent again in the epoch that begins. */
  default boolean isResent(MessageRequest send) {
    return false;
  }

  // ---- sends

  /**
   * Records a message to another rank.
   *
   * @return false if its receiver has it already; it must not be sent then
   */
  default boolean sends(Object base, long offset, long bytes, int dest, int context, long tag) {
    return true;
  }

  /** Whether the rank replays, so that synchronous sends complete without their receive. */
  default boolean isRepeating(int context) {
    return false;
  }

  /**
   * Takes over the last message, which cannot leave at once.
   *
   * @return whether the send is complete, as the ledger sends the message later
   */
  default boolean holds(int dest, int context) {
    return false;
  }

  /** Notes that a prepared send waits in the queue. */
  default void queues(MessageRequest send) {}

  /** The stamp of a message that is sent now, for the receiver's ledger. */
  default long stamp() {
    return 0;
  }

  /**
   * Sends the ledger's frames that must arrive ahead of a message that is sent now.
   *
   * @return false if the transport has no room for all of them yet
   */
  default boolean precedes(Link link, int context) {
    return true;
  }

  /** Sends the ledger's frames ahead of a {@linkplain #queues queued} send. */
  default boolean precedes(Link link, MessageRequest send) {
    return true;
  }

  /** Drops a queued send whose call has failed. */
  default void withdraws(MessageRequest send) {}

  /** Notes that a send is complete. */
  default void completes(MessageRequest send) {}

  /** Notes that a buffered send is refused for lack of room. */
  default void refuses(int context) {}

  // ---- receives

  /**
   * Prepares a receive that is about to be posted. The ledger may narrow its source and tag.
   *
   * @return false if no message may match it, as it will be cancelled
   */
  default boolean posts(MessageRequest receive) {
    return true;
  }

  /**
   * Notes that a message of another rank has arrived, or was announced. {@link #matches} or {@link
   * #keeps} follows.
   *
   * @param stamp see {@link #stamp}
   * @param memory holds the data, from {@code at} on; null if the data is still at the sender
   */
  default void arrives(
      int source,
      int context,
      long tag,
      long bytes,
      long stamp,
      @Nullable MemorySegment memory,
      long at) {}

  /** Notes that the message that arrived last is unmatched. */
  default void keeps(UnexpectedMessage message) {}

  /**
   * Notes that a receive has matched a message.
   *
   * @param waited the message; null if it has arrived just now, or is from this rank
   */
  default void matches(MessageRequest receive, @Nullable UnexpectedMessage waited) {}

  /** Notes that a request fetches the data of an unmatched message. */
  default void fetches(MessageRequest by, UnexpectedMessage message) {}

  /** Notes that a receive is complete. */
  default void delivers(MessageRequest receive) {}

  /** Whether peers should announce at once the sends that they hold back for credit. */
  default boolean isUrgent() {
    return false;
  }

  /** Handles a frame of a peer's ledger; see {@link Link}. */
  default void onFrame(int peer, MemorySegment memory, long at) {
    throw new IllegalStateException("rank " + peer + " keeps a ledger, and this rank does not");
  }

  // ---- answers of calls that depend on the time at which messages arrive

  /**
   * Determines the answer to a test of a request.
   *
   * @return the answer; if true and the request is not complete, the call waits
   */
  default boolean answers(MessageRequest request, boolean complete) {
    return complete;
  }

  /** Whether a repeated test of a request need not sleep. */
  default boolean hasJustAnswered(MessageRequest request) {
    return false;
  }

  /** Whether a request may be cancelled; false if that was too late originally. */
  default boolean mayCancel(MessageRequest request) {
    return true;
  }

  /** Records an attempt to cancel a request. */
  default void cancels(MessageRequest request, boolean cancelled) {}

  /**
   * Determines the result of a probe.
   *
   * @param waits whether the call waits for a message
   * @return the message that the probe must find; null if the result is open
   */
  default @Nullable Found finds(int source, int context, boolean waits) {
    return null;
  }

  /**
   * Records the result of a probe that was open.
   *
   * @param message null if there is none
   */
  default void found(int source, int context, boolean waits, @Nullable UnexpectedMessage message) {}

  // ---- what it shows

  /** Adds the size of its log. Any thread. */
  default void count(Map<Counter, Long> counters) {
    counters.put(Counter.LOG_MESSAGES, 0L);
    counters.put(Counter.LOG_BYTES, 0L);
    counters.put(Counter.LOG_LIMIT_BYTES, 0L);
  }
}
