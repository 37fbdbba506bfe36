package org.fmi.core.log;

import static org.fmi.wire.FrameLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.fmi.Status;
import org.fmi.core.p2p.CollectiveCall;
import org.fmi.core.p2p.MessagePool;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.MessageTag;
import org.fmi.core.p2p.Pattern;
import org.fmi.core.state.ImageWriter;
import org.fmi.wire.Memory;

/**
 * Records the results of a rank's communication calls outside of loops, and replays them, without
 * the network, to a replacement process that makes the same calls.
 *
 * <p>The record has: the outcome of each receive, by posting order; the message that each
 * successful probe found; the answer of each test, cancel, and iprobe; and whether each buffered
 * send, and each synchronous send to the rank itself, was refused. So the program sees the same
 * sequence of completions and errors again. Sends are only counted, with a running signature of
 * their arguments, which is checked at each receive.
 *
 * <p>Image, all numbers little endian: {@code long flags} (1: overflowed), then {@code long}
 * numbers of receives, probes and runs, number and signature of sends; receives of 7 longs
 * (outcome, context, source, tag, length, number and signature of the sends before) and the data;
 * probes of 4 longs (receives posted before, source, tag, length) and runs of 1 long.
 */
public final class Recorder {
  /** State of a recorder. */
  public enum Mode {
    OFF,
    RECORD,
    REPLAY
  }

  /** Outcome of a receive that was cancelled, or never completed. */
  private static final int NONE = 0;

  private static final int DONE = 1;
  private static final int TRUNCATED = 2;

  private final class Receive implements MessageRequest.Completion {
    final int context;
    final long sends;
    final long signature;
    int outcome = NONE;
    int source;
    long tag;
    long length;
    MemorySegment data = NO_DATA;

    Receive(int context, long sends, long signature) {
      this.context = context;
      this.sends = sends;
      this.signature = signature;
    }

    /** A receive posted while recording is complete. */
    @Override
    public void received(MessageRequest r) {
      if (overflowed) {
        return;
      }
      source = r.matchedSource();
      tag = r.matchedTag();
      length = r.matchedLength();
      if (length > r.bytes()) {
        outcome = TRUNCATED;
        return;
      }
      grow(length);
      if (!overflowed) {
        outcome = DONE;
        data = MessagePool.memory(length);
        Memory.toSegment(r.base(), r.offset(), data, 0, length);
      }
    }
  }

  private static final MemorySegment NO_DATA = MemorySegment.ofArray(new byte[0]);

  private record Probe(long receives, Status found) {}

  private static final long HEADER_BYTES = 6 * Long.BYTES;
  private static final long RECEIVE_BYTES = 7 * Long.BYTES;
  private static final long PROBE_BYTES = 4 * Long.BYTES;
  private static final long OVERFLOWED = 1;

  /** The record is on the heap, most of which belongs to the program. */
  private static final int SHARE_OF_HEAP = 4;

  private final long limit;
  private final List<Receive> receives = new ArrayList<>();
  private final List<Probe> probes = new ArrayList<>();

  /** Lengths of runs of equal answers: no and yes alternate; the first run, of no, may be 0. */
  private long[] runs = new long[16];

  private int runCount;
  private long sends;
  private long signature;
  private long bytes = HEADER_BYTES;
  private boolean overflowed;
  private Mode mode = Mode.OFF;

  private Consumer<ReplayMismatchException> onMismatch = mismatch -> {};

  // ---- position of a replay
  private int nextReceive;
  private int nextProbe;
  private int run;
  private long inRun;
  private long sendsReplayed;
  private long signatureReplayed;

  /**
   * An empty record, switched off.
   *
   * @param limit its maximum size in bytes; a small heap allows less
   */
  public Recorder(long limit) {
    this.limit = Math.min(limit, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
  }

  /** Reads an image that {@link #writeTo} has written; switched off. */
  public static Recorder readFrom(MemorySegment image, long limit) {
    Recorder r = new Recorder(limit);
    r.overflowed = (image.get(LONG, 0) & OVERFLOWED) != 0;
    long receiveCount = image.get(LONG, 8);
    long probeCount = image.get(LONG, 16);
    r.runCount = (int) image.get(LONG, 24);
    r.sends = image.get(LONG, 32);
    r.signature = image.get(LONG, 40);
    long at = HEADER_BYTES;
    for (long i = 0; i < receiveCount; i++) {
      Receive got =
          r
          .new Receive(
              (int) image.get(LONG, at + 8), image.get(LONG, at + 40), image.get(LONG, at + 48));
      got.outcome = (int) image.get(LONG, at);
      got.source = (int) image.get(LONG, at + 16);
      got.tag = image.get(LONG, at + 24);
      got.length = image.get(LONG, at + 32);
      at += RECEIVE_BYTES;
      if (got.outcome == DONE) {
        got.data = MessagePool.memory(got.length);
        MemorySegment.copy(image, at, got.data, 0, got.length);
        at += got.length;
      }
      r.receives.add(got);
    }
    for (long i = 0; i < probeCount; i++) {
      r.probes.add(
          new Probe(
              image.get(LONG, at),
              new Status(
                  (int) image.get(LONG, at + 8),
                  (int) image.get(LONG, at + 16),
                  image.get(LONG, at + 24))));
      at += PROBE_BYTES;
    }
    r.runs = new long[Math.max(16, r.runCount)];
    for (int i = 0; i < r.runCount; i++) {
      r.runs[i] = image.get(LONG, at);
      at += Long.BYTES;
    }
    r.bytes = at;
    return r;
  }

  /** The size of its image, in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Writes its image, of {@link #bytes} bytes. */
  public void writeTo(ImageWriter image, long begin) {
    image.put(begin, overflowed ? OVERFLOWED : 0);
    image.put(begin + 8, receives.size());
    image.put(begin + 16, probes.size());
    image.put(begin + 24, runCount);
    image.put(begin + 32, sends);
    image.put(begin + 40, signature);
    long at = begin + HEADER_BYTES;
    for (Receive got : receives) {
      image.put(at, got.outcome);
      image.put(at + 8, got.context);
      image.put(at + 16, got.source);
      image.put(at + 24, got.tag);
      image.put(at + 32, got.length);
      image.put(at + 40, got.sends);
      image.put(at + 48, got.signature);
      at += RECEIVE_BYTES;
      image.put(got.data, at, got.data.byteSize());
      at += got.data.byteSize();
    }
    for (Probe p : probes) {
      image.put(at, p.receives);
      image.put(at + 8, p.found.source());
      image.put(at + 16, p.found.tag());
      image.put(at + 24, p.found.bytes());
      at += PROBE_BYTES;
    }
    for (int i = 0; i < runCount; i++) {
      image.put(at, runs[i]);
      at += Long.BYTES;
    }
  }

  public Mode mode() {
    return mode;
  }

  /** Whether the record exceeded its limit and was dropped. Such a record cannot be replayed. */
  public boolean overflowed() {
    return overflowed;
  }

  /** Records from now on, after what the record already has. */
  public void record() {
    mode = Mode.RECORD;
  }

  /** Neither records nor replays from now on. */
  public void off() {
    mode = Mode.OFF;
  }

  /**
   * Replays from the beginning.
   *
   * @param strayed notified of a mismatch, on the thread that makes the call; if it returns, the
   *     call ends with the exception
   * @throws ReplayMismatchException if the record overflowed
   */
  public void startReplay(Consumer<ReplayMismatchException> strayed) {
    onMismatch = strayed;
    if (overflowed) {
      throw fail(
          "the record of what it received before its loop exceeded the limit of "
              + limit
              + " bytes and was dropped");
    }
    nextReceive = 0;
    nextProbe = 0;
    run = 0;
    inRun = 0;
    sendsReplayed = 0;
    signatureReplayed = 0;
    mode = Mode.REPLAY;
  }

  /**
   * Ends a replay and switches off. All recorded calls must have been replayed.
   *
   * @throws ReplayMismatchException if some were not
   */
  public void endReplay() {
    skipEmptyRuns();
    if (nextReceive != receives.size()
        || nextProbe != probes.size()
        || run != runCount
        || sendsReplayed != sends
        || signatureReplayed != signature) {
      throw fail(
          "the loop was reached after "
              + nextReceive
              + " of "
              + receives.size()
              + " receives and "
              + sendsReplayed
              + " of "
              + sends
              + " sends, or after other calls than recorded");
    }
    mode = Mode.OFF;
  }

  // ---- hooks of Recording, called only while on

  /** Whether calls must be passed to this recorder. */
  boolean on() {
    return mode != Mode.OFF;
  }

  boolean replaying() {
    return mode == Mode.REPLAY;
  }

  /** Records or replays a send. Returns whether the send must not really be made. */
  boolean send(int dest, int context, long tag, long length) {
    if (mode == Mode.RECORD) {
      sends++;
      signature = sign(signature, dest, context, tag, length);
      return false;
    }
    sendsReplayed++;
    signatureReplayed = sign(signatureReplayed, dest, context, tag, length);
    if (sendsReplayed > sends) {
      throw mismatch("a send to rank " + dest + " " + CollectiveCall.belonging(context, tag));
    }
    return true;
  }

  /**
   * Records or replays a receive. Returns whether it is served from the record and must not be
   * posted.
   */
  boolean receive(MessageRequest r) {
    if (mode == Mode.RECORD) {
      if (!overflowed) {
        Receive begun = new Receive(r.context(), sends, signature);
        receives.add(begun);
        r.onCompletion(begun);
        grow(RECEIVE_BYTES);
      }
      return false;
    }
    if (nextReceive == receives.size()) {
      throw mismatch(receiveOf(r));
    }
    Receive got = receives.get(nextReceive++);
    if (got.sends != sendsReplayed
        || got.signature != signatureReplayed
        || got.context != r.context()) {
      throw mismatch("the sends before " + receiveOf(r));
    }
    if (got.outcome == NONE) {
      return true;
    }
    r.makeRoom(got.length);
    if (!Pattern.matches(r.context(), r.peer(), r.tag(), got.context, got.source, got.tag)
        || (got.length > r.bytes()) != (got.outcome == TRUNCATED)) {
      throw mismatch(receiveOf(r) + " of " + r.bytes() + " bytes");
    }
    if (got.outcome != TRUNCATED) {
      Memory.fromSegment(got.data, 0, r.base(), r.offset(), got.length);
    }
    r.completeReceive(got.source, got.tag, got.length);
    return true;
  }

  static String receiveOf(MessageRequest r) {
    return "a receive from rank " + r.peer() + " " + CollectiveCall.belonging(r.context(), r.tag());
  }

  /** Records the message that a probe has found. */
  void found(Status status) {
    if (!overflowed) {
      probes.add(new Probe(receives.size(), status));
      grow(PROBE_BYTES);
    }
  }

  /** The same of a probe that has matched it. */
  void found(MessageRequest r) {
    found(r.probedStatus());
  }

  /** The message that a replayed probe found. */
  Status replayProbe(int source, int context, long tag) {
    if (nextProbe < probes.size()) {
      Probe p = probes.get(nextProbe++);
      if (p.receives == nextReceive
          && Pattern.matches(context, source, tag, context, p.found.source(), p.found.tag())) {
        return p.found;
      }
    }
    throw mismatch("a probe for rank " + source + " and tag " + MessageTag.tag(tag));
  }

  /**
   * Records or replays the answer of a call that returns yes or no, and returns the answer to give.
   */
  boolean answer(boolean actual) {
    if (mode == Mode.RECORD) {
      if (!overflowed) {
        addAnswer(actual);
      }
      return actual;
    }
    skipEmptyRuns();
    if (run == runCount) {
      throw mismatch("a test, cancel, iprobe or buffered send");
    }
    inRun++;
    return (run & 1) == 1;
  }

  /** The error for a replayed call that was not recorded here. */
  ReplayMismatchException mismatch(String call) {
    return fail(
        call
            + " was not recorded at this place (receive "
            + nextReceive
            + " of "
            + receives.size()
            + ", send "
            + sendsReplayed
            + " of "
            + sends
            + ")");
  }

  private ReplayMismatchException fail(String what) {
    ReplayMismatchException mismatch = new ReplayMismatchException(what);
    onMismatch.accept(mismatch);
    return mismatch;
  }

  private void addAnswer(boolean yes) {
    int parity = yes ? 1 : 0;
    if (runCount == 0 || (runCount - 1 & 1) != parity) {
      addRun();
      if ((runCount - 1 & 1) != parity) {
        addRun();
      }
    }
    if (!overflowed) {
      runs[runCount - 1]++;
    }
  }

  private void addRun() {
    if (overflowed) {
      return;
    }
    if (runCount == runs.length) {
      runs = Arrays.copyOf(runs, runs.length * 2);
    }
    runs[runCount++] = 0;
    grow(Long.BYTES);
  }

  private void skipEmptyRuns() {
    while (run < runCount && inRun == runs[run]) {
      run++;
      inRun = 0;
    }
  }

  private void grow(long more) {
    bytes += more;
    if (bytes > limit) {
      overflowed = true;
      receives.clear();
      probes.clear();
      runs = new long[16];
      runCount = 0;
      bytes = HEADER_BYTES;
    }
  }

  private static long sign(long signature, int dest, int context, long tag, long length) {
    long h = signature ^ ((long) context << 32) ^ tag;
    h = (h ^ (h >>> 29)) * 0xBF58476D1CE4E5B9L + dest;
    h = (h ^ (h >>> 32)) * 0x94D049BB133111EBL + length;
    return h;
  }
}
