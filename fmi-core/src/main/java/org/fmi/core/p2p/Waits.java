package org.fmi.core.p2p;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Map;
import jdk.jfr.FlightRecorder;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.control.Counter;
import org.fmi.core.progress.Poller;
import org.fmi.core.progress.WaitStrategy;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Transport;
import org.jspecify.annotations.Nullable;

/**
 * Waits on the caller's thread, and makes all progress in the meantime: for a request, a message to
 * probe for, or a number in shared memory. Detects waits that can never end (rule 7 of the {@link
 * org.fmi.core.p2p package}).
 */
final class Waits {
  private static final int NO_RANK = -1;

  /** The awaited context of a call without one. */
  private static final int NONE = -1;

  /** The approximate duration of a wait when the rank begins its first longest sleep. */
  private static final long LONG_NANOS = 100_000_000;

  /** A call that polls the same request again within this time counts as one wait. */
  private static final long PAUSE_NANOS = 1_000_000_000;

  /** The idle time of calls after which peers are asked to announce sends that they hold back. */
  private static final long HELD_NANOS = 2_000_000;

  /** The longest time for which peers hold sends back even if calls are busy. */
  private static final long HELD_LONG_NANOS = 50_000_000;

  /** The most polls in a row for what has arrived, as living peers may continue to send. */
  private static final int MOST_ROUNDS = 1000;

  private static final VarHandle SHARED = ValueLayout.JAVA_LONG.varHandle();

  private final int rank;
  private final Epoch epoch;
  private final OneThread thread;
  private final FrameHandler frames;
  private final MessengerListener listener;
  private final Peers peers;
  private final Mailbox mailbox;
  private final SendList unsent;
  private final Losses losses;
  private Ledger ledger = Ledger.NONE;
  private final Poller progress;
  private final Runnable sleep;

  /** The rank that a blocking call waits for; negative if there is none, or any would do. */
  private int awaited = NO_RANK;

  /** The request that this call waits for; null in a probe, and for a number in shared memory. */
  private @Nullable MessageRequest awaitedRequest;

  /** The memory of that number. */
  private @Nullable MemorySegment awaitedMemory;

  private long awaitedOffset;
  private long awaitedLeast;

  /** The context of this call. */
  private int awaitedContext = NONE;

  private int probedContext;
  private long probedTag;

  /**
   * This call, once it has waited for long. Written by the waiting thread, never on a message's
   * path; a record, so that a reader sees all parts of one call.
   */
  private volatile @Nullable LongWait longWait;

  /** The request of the last long wait in {@link #progress}, and that wait's start and end. */
  private @Nullable MessageRequest progressed;

  private long progressedSince;
  private long progressedUntil;
  private boolean progressedLong;

  /**
   * Whether peers may hold sends back and since when, and whether calls have been idle and since
   * when.
   */
  private boolean held;

  private long heldSince;

  private boolean idle;
  private long idleSince;

  /** A rank that waits for this rank, which has left; negative if there is none. */
  private int stuck = NO_RANK;

  private boolean left;

  Waits(
      int rank,
      Epoch epoch,
      OneThread thread,
      FrameHandler frames,
      MessengerListener listener,
      Peers peers,
      Mailbox mailbox,
      SendList unsent,
      Losses losses,
      WaitStrategy strategy) {
    this.losses = losses;
    this.rank = rank;
    this.epoch = epoch;
    this.thread = thread;
    this.frames = frames;
    this.listener = listener;
    this.peers = peers;
    this.mailbox = mailbox;
    this.unsent = unsent;
    this.progress = new Poller(strategy, this::noteLongWait);
    this.sleep = this::idle;
  }

  void ledger(Ledger next) {
    ledger = next;
  }

  /** Begins an epoch. */
  void reset(Transport[] epochTransports) {
    progress.use(epochTransports);
    progressedLong = false;
    held = false;
    end();
    stuck = NO_RANK;
  }

  /**
   * Runs work within a waiting call, which continues to wait afterwards.
   *
   * @param work may wait itself
   */
  void within(Runnable work) {
    int before = awaited;
    MessageRequest request = awaitedRequest;
    int context = awaitedContext;
    work.run();
    awaited = before;
    awaitedRequest = request;
    awaitedContext = context;
  }

  // ---- blocking

  /** Returns when a request is complete. */
  void await(MessageRequest r) {
    if (!r.pending()) {
      return;
    }
    awaited = r.peer;
    awaitedRequest = r;
    awaitedContext = r.context;
    try {
      while (r.pending()) {
        step();
        askIfLong();
      }
    } finally {
      awaitedRequest = null;
      end();
    }
  }

  /** Returns when there is a message that matches a probe. */
  UnexpectedMessage await(int source, int context, long tag) {
    UnexpectedMessage m = mailbox.find(source, context, tag);
    if (m != null) {
      return m;
    }
    losses.require(context, source);
    mailbox.beginProbe(source, context, tag);
    probedContext = context;
    probedTag = tag;
    awaited = source;
    awaitedContext = context;
    try {
      do {
        mailbox.allowMoreAnnouncements();
        step();
        m = mailbox.find(source, context, tag);
        if (m == null) {
          losses.require(context, source);
          askIfLong();
        }
      } while (m == null);
      return m;
    } finally {
      mailbox.endProbe();
      end();
    }
  }

  /**
   * Returns when a number in shared memory, set by rank {@code source}, is {@code least} or more.
   */
  void await(MemorySegment memory, long offset, long least, int source, int context) {
    progress.busy();
    awaited = source;
    awaitedMemory = memory;
    awaitedOffset = offset;
    awaitedLeast = least;
    awaitedContext = context;
    try {
      while (sharedIsLess()) {
        losses.require(context, source);
        step();
        askIfLong();
      }
    } finally {
      awaitedMemory = null;
      end();
    }
  }

  /** Takes in what has arrived, as far as the transports have it now. */
  void takeIn() {
    int rounds = 0;
    while (lookOnce() > 0 && ++rounds < MOST_ROUNDS) {}
  }

  /** Ends the blocking call. */
  private void end() {
    awaited = NO_RANK;
    awaitedContext = NONE;
    LongWait wait = longWait;
    if (wait != null) {
      longWait = null;
      if (FlightRecorder
          .isInitialized()) { // without a recorder an event would take a fifth of a second
        WaitEvent.record(wait, progress.now() - wait.sinceNanos());
      }
    }
  }

  /**
   * Polls once, and waits briefly if there was nothing, in a call that polls repeatedly.
   *
   * @param r a request that it waits for; null if it waits for none
   */
  void progress(@Nullable MessageRequest r) {
    awaitedRequest = r;
    awaitedContext = r == null ? NONE : r.context;
    try {
      step();
    } finally {
      LongWait wait = longWait;
      if (wait != null) {
        progressed = r;
        progressedSince = wait.sinceNanos();
        progressedUntil = progress.now();
        progressedLong = true;
        longWait = null; // not the end of the wait: the call polls again
      }
      awaitedRequest = null;
      end();
    }
  }

  private boolean sharedIsLess() {
    MemorySegment memory = awaitedMemory;
    return memory != null && (long) SHARED.getAcquire(memory, awaitedOffset) < awaitedLeast;
  }

  /** Polls once, and waits briefly if there was nothing. */
  private void step() {
    epoch.check();
    if (stuck >= 0) {
      throw stuckPeer();
    }
    if (work(pollOnce()) == 0) {
      if (listener.waits()) {
        progress.busy();
        return;
      }
      thread.waits(sleep);
    }
  }

  private int pollOnce() {
    try {
      return progress.poll(frames);
    } catch (UncheckedIOException e) {
      throw listener.refused(e);
    }
  }

  private int lookOnce() {
    try {
      return progress.look(frames);
    } catch (UncheckedIOException e) {
      throw listener.refused(e);
    }
  }

  private void idle() {
    try {
      progress.idle();
    } catch (UncheckedIOException e) {
      throw listener.refused(e);
    }
  }

  /** Makes progress in a call that does not wait. Returns the amount of work. */
  int look() {
    epoch.check();
    return work(lookOnce());
  }

  /** Makes progress without blocking. */
  void poll() {
    if (look() == 0) {
      boolean _ = listener.waits(); // a program that polls repeatedly waits too
    }
  }

  /** Does the work after each poll; returns the amount of work including the poll's. */
  private int work(int polled) {
    int work = polled;
    if (!unsent.isEmpty()) {
      work += unsent.flush();
    }
    if (work > 0) {
      progress.busy();
    }
    if (held) {
      askToAnnounce(work == 0);
    }
    return work;
  }

  /** Notes that a peer holds sends back for credit. */
  void onHeld(Peer p) {
    p.onHeld();
    if (!held) {
      held = true;
      heldSince = progress.now();
    }
    idle = false;
  }

  /** Asks peers to announce these sends once this rank has been idle for a while. */
  private void askToAnnounce(boolean nothing) {
    long now = progress.now();
    if (!nothing || !idle) {
      idle = nothing;
      idleSince = now;
    }
    if ((idle && now - idleSince >= HELD_NANOS)
        || now - heldSince >= HELD_LONG_NANOS
        || ledger.isUrgent()) {
      askToAnnounce();
    }
  }

  /** Asks peers to announce the sends that they hold back for credit. */
  void askToAnnounce() {
    held = false;
    peers.askToAnnounce();
    unsent.flush();
  }

  /** Ends a {@link #step} that sleeps, or the next one. Any thread. */
  void wakeup() {
    progress.wakeup();
  }

  /** Adds its counts. Any thread. */
  void count(Map<Counter, Long> counters) {
    counters.put(Counter.WAITS, progress.sleeps());
    counters.put(Counter.WAIT_NANOS, progress.sleptNanos());
  }

  boolean mayWaitBusily() {
    return progress.mayWaitBusily();
  }

  // ---- long waits

  /** The current call, if it has waited for a while. Any thread. */
  @Nullable LongWait longWait() {
    return longWait;
  }

  private void noteLongWait() {
    if (longWait != null) {
      return;
    }
    MessageRequest r = awaitedRequest;
    long now = progress.now();
    boolean continues = progressedLong && r == progressed && now - progressedUntil < PAUSE_NANOS;
    boolean inMessage = awaitedContext != NONE && !Contexts.isCollective(awaitedContext);
    longWait =
        new LongWait(
            LongWait.callOfThisThread(),
            r == null ? awaited : r.peer,
            inMessage ? (int) (r == null ? probedTag : r.tag) : LongWait.ANY,
            awaitedContext,
            continues ? progressedSince : now - LONG_NANOS,
            r != null && isCopyWithoutRoom(r) ? peers.untaken() : null);
  }

  private boolean isCopyWithoutRoom(MessageRequest r) {
    return r.send
        && r.mode == PointToPoint.Mode.STANDARD
        && r.peer != rank
        && peers.get(r.peer).isShort(r.bytes);
  }

  // ---- hopeless waits

  /** Asks the awaited peer whether it has left without sending the awaited message. */
  private void askIfLong() {
    if (progress.longWait()
        && !left
        && awaited >= 0
        && awaited != rank
        && !losses.isDead(awaited)) {
      Peer p = peers.get(awaited);
      if (waitsFor(p)) {
        p.sendNote(FrameKind.ASK);
      }
    }
  }

  /** Whether the blocking call still lacks everything that it wants from this peer. */
  private boolean waitsFor(Peer p) {
    if (awaitedMemory != null) {
      return sharedIsLess();
    }
    MessageRequest r = awaitedRequest;
    if (r == null) {
      return mailbox.find(p.rank, probedContext, probedTag) == null;
    }
    return r.pending() && (r.send ? p.unmatched(r) : !r.hasMatched());
  }

  /** Notes that the program makes no more calls except those by which the runtime ends it. */
  void leave() {
    left = true;
  }

  /** Answers a peer that has waited for this rank for long. */
  void onAsk(Peer p) {
    if (left && p.settled()) {
      p.sendNote(FrameKind.LEFT);
    }
  }

  /** Handles the answer of a peer that has left. */
  void onLeft(Peer p) {
    // The answer may be late; and a rank that has left too waits only for the runtime.
    if (!left && awaited == p.rank && waitsFor(p)) {
      p.sendNote(FrameKind.STUCK);
    }
  }

  /** Handles a peer that waits for this rank, which has nothing more to send. */
  void onStuck(Peer p) {
    stuck = left ? p.rank : NO_RANK;
  }

  private FmiException stuckPeer() {
    return new FmiException(
        ErrorClass.MISMATCH,
        "rank "
            + stuck
            + " waits for this rank, which is in Fmi.close and will neither send nor receive: the"
            + " calls of the two do not match, or an exception made this rank skip some");
  }
}
