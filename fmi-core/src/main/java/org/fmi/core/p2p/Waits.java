package org.fmi.core.p2p;

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
 * Waits on the caller's thread, and makes all progress meanwhile: for a request, a message to probe
 * for, or a number in shared memory. Finds out when what is waited for will never come (rule 7 of
 * the {@link org.fmi.core.p2p package}).
 */
final class Waits {
  private static final int NOBODY = -1;

  /** As the context of what is waited for: none. */
  private static final int NONE = -1;

  /** How long a wait has lasted, about, when the rank first sleeps for long. */
  private static final long LONG_NANOS = 100_000_000;

  /** A call that looks at something again within this time has waited for it all the while. */
  private static final long GOES_ON_NANOS = 1_000_000_000;

  /** How long calls have nothing to do before peers announce what they hold back. */
  private static final long HELD_NANOS = 2_000_000;

  /** How long peers hold something back at most though calls have something to do. */
  private static final long HELD_LONG_NANOS = 50_000_000;

  private static final VarHandle SHARED = ValueLayout.JAVA_LONG.varHandle();

  private final int rank;
  private final Epoch epoch;
  private final OneThread thread;
  private final FrameHandler frames;
  private final MessengerListener listener;
  private final Peers peers;
  private final Mailbox mailbox;
  private final SendList unsent;
  private Ledger ledger = Ledger.NONE;
  private final Poller progress;
  private final Runnable sleep;

  /** The rank that a blocking call waits for; negative if there is none, or any would do. */
  private int awaited = NOBODY;

  /** What that call waits for; null in a probe, and where it is a number in shared memory. */
  private @Nullable MessageRequest awaitedRequest;

  /** Where that number stands. */
  private @Nullable MemorySegment awaitedMemory;

  private long awaitedOffset;
  private long awaitedLeast;

  /** In which context that call waits. */
  private int awaitedContext = NONE;

  private int probedContext;
  private long probedTag;

  /**
   * That call, once it has waited for long. Written by the thread that waits, never on a message's
   * way; a record, so that whoever reads it sees all of one call.
   */
  private volatile @Nullable LongWait longWait;

  /**
   * What the last call of {@link #progress} that waited long was for, since when, and until when.
   */
  private @Nullable MessageRequest progressed;

  private long progressedSince;
  private long progressedUntil;
  private boolean progressedLong;

  /** Whether peers may hold messages back, since when, and since when calls have had no work. */
  private boolean held;

  private long heldSince;

  private boolean idle;
  private long idleSince;

  /** A rank that waits for this one, which has left; negative if there is none. */
  private int stuck = NOBODY;

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
      WaitStrategy strategy) {
    this.rank = rank;
    this.epoch = epoch;
    this.thread = thread;
    this.frames = frames;
    this.listener = listener;
    this.peers = peers;
    this.mailbox = mailbox;
    this.unsent = unsent;
    this.progress = new Poller(strategy, this::noteLongWait);
    this.sleep = progress::idle;
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
    stuck = NOBODY;
  }

  /**
   * Does something inside of a call that waits, which goes on waiting afterwards.
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

  /** Returns when there is a message that a probe wants. */
  UnexpectedMessage await(int source, int context, long tag) {
    UnexpectedMessage m = mailbox.find(source, context, tag);
    if (m != null) {
      return m;
    }
    mailbox.beginProbe(source, context, tag);
    probedContext = context;
    probedTag = tag;
    awaited = source;
    awaitedContext = context;
    try {
      do {
        mailbox.allowMoreAnnouncements();
        step();
        askIfLong();
        m = mailbox.find(source, context, tag);
      } while (m == null);
      return m;
    } finally {
      mailbox.endProbe();
      end();
    }
  }

  /** Returns when a number in shared memory, set by rank {@code source}, has become so large. */
  void await(MemorySegment memory, long offset, long least, int source, int context) {
    progress.busy();
    awaited = source;
    awaitedMemory = memory;
    awaitedOffset = offset;
    awaitedLeast = least;
    awaitedContext = context;
    try {
      while (sharedIsLess()) {
        step();
        askIfLong();
      }
    } finally {
      awaitedMemory = null;
      end();
    }
  }

  /** The blocking call is over. */
  private void end() {
    awaited = NOBODY;
    awaitedContext = NONE;
    LongWait wait = longWait;
    if (wait != null) {
      longWait = null;
      if (FlightRecorder.isInitialized()) { // which an event would take a fifth of a second for
        WaitEvent.tell(wait, progress.now() - wait.sinceNanos());
      }
    }
  }

  /**
   * Polls once, and waits a moment if there was nothing, in a call that looks again and again.
   *
   * @param r what it waits for, among others; null if that is no request
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
        longWait = null; // not its end: the call looks again
      }
      awaitedRequest = null;
      end();
    }
  }

  private boolean sharedIsLess() {
    MemorySegment memory = awaitedMemory;
    return memory != null && (long) SHARED.getAcquire(memory, awaitedOffset) < awaitedLeast;
  }

  /** Polls once, and waits a moment if there was nothing. */
  private void step() {
    epoch.check();
    if (stuck >= 0) {
      throw nobodyAnswers();
    }
    if (work(progress.poll(frames)) == 0) {
      if (listener.waits()) {
        progress.busy();
        return;
      }
      thread.waits(sleep);
    }
  }

  /** Makes what progress is possible now, in a call that does not wait. */
  int look() {
    epoch.check();
    return work(progress.look(frames));
  }

  /** Makes what progress is possible now. */
  void poll() {
    if (look() == 0) {
      boolean _ = listener.waits(); // a program that looks again and again waits too
    }
  }

  /** What is done behind each poll; returns the amount of work with that of the poll. */
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

  /** Messages of a peer wait for credit. */
  void onHeld(Peer p) {
    p.onHeld();
    if (!held) {
      held = true;
      heldSince = progress.now();
    }
    idle = false;
  }

  /** Has announced what is held back if there has been nothing to do for a while. */
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

  /** Has announced what peers hold back for credit. */
  void askToAnnounce() {
    held = false;
    peers.askToAnnounce();
    unsent.flush();
  }

  /** Ends a {@link #step} that sleeps, now or the next one. Any thread. */
  void wakeup() {
    progress.wakeup();
  }

  /** Adds what it has counted. Any thread. */
  void count(Map<Counter, Long> counters) {
    counters.put(Counter.WAITS, progress.sleeps());
    counters.put(Counter.WAIT_NANOS, progress.sleptNanos());
  }

  boolean mayWaitBusily() {
    return progress.mayWaitBusily();
  }

  // ---- long waits

  /** The call that waits, if it has done so for a while. Any thread. */
  @Nullable LongWait longWait() {
    return longWait;
  }

  private void noteLongWait() {
    if (longWait != null) {
      return;
    }
    MessageRequest r = awaitedRequest;
    long now = progress.now();
    boolean goesOn = progressedLong && r == progressed && now - progressedUntil < GOES_ON_NANOS;
    boolean inMessage = awaitedContext != NONE && !Contexts.isCollective(awaitedContext);
    longWait =
        new LongWait(
            LongWait.callOfThisThread(),
            r == null ? awaited : r.peer,
            inMessage ? (int) (r == null ? probedTag : r.tag) : LongWait.ANY,
            awaitedContext,
            goesOn ? progressedSince : now - LONG_NANOS,
            r != null && isCopyWithoutRoom(r) ? peers.untaken() : null);
  }

  private boolean isCopyWithoutRoom(MessageRequest r) {
    return r.send
        && r.mode == PointToPoint.Mode.STANDARD
        && r.peer != rank
        && peers.get(r.peer).isShort(r.bytes);
  }

  // ---- waits without hope

  /** What is waited for may never come: the peer may have left without sending it. */
  private void askIfLong() {
    if (progress.longWait() && !left && awaited >= 0 && awaited != rank) {
      Peer p = peers.get(awaited);
      if (waitsFor(p)) {
        p.tell(FrameKind.ASK);
      }
    }
  }

  /** Whether nothing has come of what the blocking call wants of this peer. */
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

  /** The program makes no more calls, but for what the runtime does to end it. */
  void leave() {
    left = true;
  }

  /** A peer waits long for this rank. */
  void onAsk(Peer p) {
    if (left && p.settled()) {
      p.tell(FrameKind.LEFT);
    }
  }

  /** A peer that was asked has left the program's communication. */
  void onLeft(Peer p) {
    // The answer may be late: who has left too waits for what the runtime sends.
    if (!left && awaited == p.rank && waitsFor(p)) {
      p.tell(FrameKind.STUCK);
    }
  }

  /** A peer waits for this rank, which has nothing more to send. */
  void onStuck(Peer p) {
    stuck = left ? p.rank : NOBODY;
  }

  private FmiException nobodyAnswers() {
    return new FmiException(
        ErrorClass.MISMATCH,
        "rank "
            + stuck
            + " waits for this rank, which is in Fmi.close and will neither send nor receive: the"
            + " calls of the two do not match, or an exception has left out some of this one's");
  }
}
