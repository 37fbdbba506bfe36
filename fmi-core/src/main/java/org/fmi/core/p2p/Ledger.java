package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Follows a rank's messages, so that they can be sent or received again after a failure: the one
 * thing of recovery that the data path knows. {@link #NONE} follows nothing, and each method says
 * here what that means.
 *
 * <p>Called by the application's thread, within the call that it is about. What a ledger remembers
 * of a request or of a message it keeps in a {@link Tracked} there.
 */
public interface Ledger {
  /** Follows nothing. */
  Ledger NONE = new Ledger() {};

  /** What a ledger remembers of a request or of a message that no receive has matched. */
  interface Tracked {
    /** The request or message is used for another one. */
    void reset();
  }

  /** A message that a probe has found. */
  record Found(int source, int tag) {
    /** In place of a message: the probe has found none. */
    public static final Found NOTHING = new Found(-1, -1);
  }

  /** The way to a peer, for frames that go ahead of a message. */
  interface Link {
    /** The peer. */
    int rank();

    /** The most payload bytes a frame may have. */
    int maxPayload();

    /** The frame that {@link #offer} sends: its kind and epoch are set there. */
    Frame frame();

    /** Sends the frame, or refuses it for now. */
    boolean offer();
  }

  /** Whether it follows messages: each must be one then, and each send have a request. */
  default boolean isOn() {
    return false;
  }

  // ---- epochs

  /**
   * An epoch begins.
   *
   * @param continues whether the program's calls continue in it; else all is forgotten
   */
  default void enters(boolean continues) {}

  /** All ranks stand at a recovery line at which no message is under way: begins anew, or ends. */
  default void line(boolean begins) {}

  /** Whether a message that no receive has matched will be sent again in the epoch that begins. */
  default boolean isResent(UnexpectedMessage message) {
    return false;
  }

  /** Whether a send that is under way will be sent again in the epoch that begins. */
  default boolean isResent(MessageRequest send) {
    return false;
  }

  // ---- sends

  /**
   * A message to another rank is sent.
   *
   * @return false if its receiver has it already: it must not be sent
   */
  default boolean sends(Object base, long offset, long bytes, int dest, int context, long tag) {
    return true;
  }

  /** Whether synchronous sends are complete without their receive, as they were before. */
  default boolean isRepeating(int context) {
    return false;
  }

  /**
   * The message sent last cannot leave at once.
   *
   * @return whether the send is complete, as the ledger sends the message later
   */
  default boolean holds(int dest, int context) {
    return false;
  }

  /** A send waits for its turn; called once it is prepared. */
  default void queues(MessageRequest send) {}

  /** What a message carries that is sent now; the receiver's ledger gets it. */
  default long stamp() {
    return 0;
  }

  /**
   * Sends what must reach a peer ahead of a message that is sent now.
   *
   * @return false if the transport does not take all of that yet
   */
  default boolean precedes(Link link, int context) {
    return true;
  }

  /** The same for a send that was {@linkplain #queues queued}. */
  default boolean precedes(Link link, MessageRequest send) {
    return true;
  }

  /** A send that was queued is not made after all: its call has failed. */
  default void withdraws(MessageRequest send) {}

  /** A send is complete. */
  default void completes(MessageRequest send) {}

  /** A buffered send is refused for want of room. */
  default void refuses(int context) {}

  // ---- receives

  /**
   * A receive is about to be posted; the ledger may narrow what it wants.
   *
   * @return false if no message may match it, as it will be cancelled
   */
  default boolean posts(MessageRequest receive) {
    return true;
  }

  /**
   * A message of another rank has arrived, or was announced. {@link #matches} or {@link #keeps}
   * follows for it.
   *
   * @param stamp see {@link #stamp}
   * @param memory has the data, from {@code at} on; null if that is still at the sender
   */
  default void arrives(
      int source,
      int context,
      long tag,
      long bytes,
      long stamp,
      @Nullable MemorySegment memory,
      long at) {}

  /** The message that has arrived last waits for a receive. */
  default void keeps(UnexpectedMessage message) {}

  /**
   * A receive has matched a message.
   *
   * @param waited the message; null if it has arrived just now, or is of this rank
   */
  default void matches(MessageRequest receive, @Nullable UnexpectedMessage waited) {}

  /** The data of a message that no receive has matched is brought here by a request. */
  default void fetches(MessageRequest by, UnexpectedMessage message) {}

  /** A receive has all of its message. */
  default void delivers(MessageRequest receive) {}

  /** Whether peers are to announce at once what waits there for credit. */
  default boolean isUrgent() {
    return false;
  }

  /** A frame of a peer's ledger has arrived; see {@link Link}. */
  default void onFrame(int peer, MemorySegment memory, long at) {
    throw new IllegalStateException("rank " + peer + " keeps a ledger, and this rank does not");
  }

  // ---- answers of calls that depend on the time at which messages arrive

  /**
   * The program asks whether a request is complete.
   *
   * @return the answer; if it is true and the request is not complete, the call waits
   */
  default boolean answers(MessageRequest request, boolean complete) {
    return complete;
  }

  /** Whether a call that looks at a request again need not sleep. */
  default boolean hasJustAnswered(MessageRequest request) {
    return false;
  }

  /** Whether a request may be cancelled; if not it was too late before. */
  default boolean mayCancel(MessageRequest request) {
    return true;
  }

  /** The program has tried to cancel a request. */
  default void cancels(MessageRequest request, boolean cancelled) {}

  /**
   * The program probes.
   *
   * @param waits whether the call waits for a message
   * @return what the probe must find; null if that is open
   */
  default @Nullable Found finds(int source, int context, boolean waits) {
    return null;
  }

  /**
   * A probe that was open has ended.
   *
   * @param message null if there is none
   */
  default void found(int source, int context, boolean waits, @Nullable UnexpectedMessage message) {}

  // ---- what it shows

  /** Adds what it holds. Any thread. */
  default void count(Map<Counter, Long> counters) {
    counters.put(Counter.LOG_MESSAGES, 0L);
    counters.put(Counter.LOG_BYTES, 0L);
    counters.put(Counter.LOG_LIMIT_BYTES, 0L);
  }
}
