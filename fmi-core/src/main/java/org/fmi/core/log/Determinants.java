package org.fmi.core.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.Comm;
import org.jspecify.annotations.Nullable;

/**
 * Determinants of this rank: the outcomes of its nondeterministic events since the last recovery
 * line, so that a process that replays the rank alone repeats them. They are: which message each
 * receive from any source matched; which receives were cancelled, by their number in posting order;
 * which messages probes found; and the answers of calls that return yes or no.
 *
 * <p>A determinant goes ahead of each message that may depend on it until the job has acknowledged
 * it ({@link UnstableDeterminants}). A process that rolls back alone gets all determinants that any
 * process holds, and replays them. It is free to decide the rest afresh.
 *
 * <p>Encoding, in longs: a receive is {@code RECEIVED | number}, then source and tag; a cancelled
 * receive {@code CANCELLED | number}; a probe {@code FOUND}, then source and tag, with {@link
 * #AT_ONCE} if it could have found nothing; a run of equal answers {@code NO | count} or {@code YES
 * | count}. Receives are numbered from the recovery line on; receives posted before it and still
 * pending there have negative numbers.
 *
 * <p>Every prefix is valid by itself: a process that knows only a prefix replays it and decides the
 * rest afresh.
 */
final class Determinants {
  /** Maximum length of a rank's determinants between two recovery lines, in longs. */
  static final int MAX_LENGTH = 1 << 17;

  /** Stands for a source and a tag: no determinant of this receive is known. */
  static final long UNKNOWN = -1;

  /** Stands for a source and a tag: the receive is cancelled before a message matches. */
  static final long WILL_BE_CANCELLED = -2;

  private static final int KIND_SHIFT = 56;
  private static final long VALUE = (1L << KIND_SHIFT) - 1;
  private static final int RECEIVED = 1;
  private static final int CANCELLED = 2;
  private static final int FOUND = 3;
  private static final int NO = 4;
  private static final int YES = 5;

  /** Flag of a probe: it returned yes. */
  private static final long AT_ONCE = 1;

  private static final int NONE = -1;

  /**
   * Number of receives posted so far, counted from the beginning rather than from a recovery line.
   */
  private long posted;

  // ---- the determinants that are still needed here
  private long[] held = new long[64];
  private int count;

  /** Length of the determinants before {@link #held}. */
  private int start;

  /**
   * Index in {@link #held} of the last run of answers; {@link #NONE} if another determinant
   * followed.
   */
  private int lastAnswers = NONE;

  /** Length of the determinants reported to the job. */
  private int reported;

  /** Length of the stable determinants, which are not needed here. */
  private int stable;

  /** Number of changes to the determinants. */
  private long changes;

  // ---- a recovery line that this rank has reached and that is not committed

  /** Length of the determinants before it; {@link #NONE} if there is no such recovery line. */
  private int mark = NONE;

  /** Number of receives posted before the recovery line that the determinants count from. */
  private long postedBefore;

  private long postedBeforeMark;

  /** There were too many determinants: none is recorded before the next recovery line. */
  private boolean stopped;

  // ---- the determinants to replay
  private final Map<Long, Long> receives = new HashMap<>();
  private final ArrayDeque<Long> probes = new ArrayDeque<>();
  private final ArrayDeque<Long> answers = new ArrayDeque<>();

  /** Number of times that the first run of answers was given already. */
  private long answersGiven;

  /** The last answer was a replayed one. */
  private boolean lastWasReplayed;

  /** Starts with no determinants, at a recovery line. */
  void clear() {
    postedBefore = posted;
    mark = NONE;
    start = 0;
    count = 0;
    lastAnswers = NONE;
    reported = 0;
    stable = 0;
    stopped = false;
    receives.clear();
    probes.clear();
    answers.clear();
    answersGiven = 0;
    lastWasReplayed = false;
  }

  /** Packs a source and a tag into one number. */
  static long pack(int source, long tag) {
    return (long) source << Integer.SIZE | (tag & 0xffff_ffffL);
  }

  static int source(long packed) {
    return (int) (packed >> Integer.SIZE);
  }

  static int tag(long packed) {
    return (int) packed;
  }

  // ---- recording

  /** Counts a posted receive, and returns its number. */
  long post() {
    return posted++;
  }

  /** The number of receives posted so far, which is the number of the next one. */
  long posted() {
    return posted;
  }

  private static long of(int kind, long number) {
    return (long) kind << KIND_SHIFT | (number & VALUE);
  }

  /** The number of a receive, which may be negative. */
  private static long number(long value) {
    int kindBits = Long.SIZE - KIND_SHIFT;
    return value << kindBits >> kindBits;
  }

  /** Records the message that a receive from any source matched. */
  void received(long number, int source, long tag) {
    add(of(RECEIVED, number));
    add(pack(source, tag));
  }

  /** Records that a receive was cancelled. */
  void cancelled(long number) {
    add(of(CANCELLED, number));
  }

  /** Records the message that a blocking probe found. */
  void found(int source, long tag) {
    add(of(FOUND, 0));
    add(pack(source, tag));
  }

  /** Records the message that a nonblocking probe found: its answer was yes. */
  void foundAtOnce(int source, long tag) {
    add(of(FOUND, AT_ONCE));
    add(pack(source, tag));
  }

  /** Records a yes or no that no other determinant implies. */
  void answered(boolean yes) {
    if (stopped) {
      return;
    }
    int kind = yes ? YES : NO;
    if (lastAnswers != NONE && held[lastAnswers] >>> KIND_SHIFT == kind) {
      held[lastAnswers]++;
      changes++;
    } else {
      add(of(kind, 1));
      lastAnswers = count - 1;
    }
  }

  private void add(long value) {
    if (stopped) {
      return;
    }
    if (count == held.length) {
      held = Arrays.copyOf(held, 2 * count);
    }
    held[count++] = value;
    lastAnswers = NONE;
    changes++;
  }

  /** Number of changes to the determinants. */
  long changes() {
    return changes;
  }

  /** Whether some determinants have not been reported. */
  boolean hasUnreported() {
    return end() > reported;
  }

  /** Whether there are more determinants than the job would store. */
  boolean exceedLimit() {
    return end() > MAX_LENGTH;
  }

  /** Records nothing before the next recovery line. */
  void stop() {
    stopped = true;
    mark = NONE;
    reported = end();
    acknowledge();
  }

  /** Length of the determinants reported to the job. */
  int reported() {
    return reported;
  }

  /** The job has acknowledged all reported determinants. */
  void acknowledge() {
    stable = reported;
    if (mark == NONE) {
      dropStable();
    }
  }

  /** Whether some reported determinants may not be stable yet. */
  boolean hasUnacknowledged() {
    return reported > stable;
  }

  /** Length of the determinants that may not be stable. */
  int unstableCount() {
    return end() - stable;
  }

  /** Length of the stable determinants. */
  int stable() {
    return stable;
  }

  /** Length of all determinants. */
  int end() {
    return start + count;
  }

  /** Copies the determinants from a position on. Later records do not change the copied ones. */
  void copy(int place, long[] into, int at) {
    copy(place, postedBefore, into, at);
  }

  /** Whether this rank has reached a recovery line that is not committed. */
  boolean isMarked() {
    return mark != NONE;
  }

  /** Length of the stable determinants after that recovery line. */
  int stableAfterMark() {
    return Math.max(stable, mark) - mark;
  }

  /** Length of all determinants after that recovery line. */
  int endAfterMark() {
    return end() - mark;
  }

  /** Copies the determinants after that recovery line, from a position on. */
  void copyAfterMark(int place, long[] into, int at) {
    copy(mark + place, postedBeforeMark, into, at);
  }

  /** Returns the unreported determinants, and marks them as reported. */
  long[] takeUnreported() {
    long[] taken = from(reported, postedBefore);
    reported = end();
    return taken;
  }

  /** The determinants from a position on, with receives numbered from {@code before} on. */
  private long[] from(int place, long before) {
    long[] all = new long[end() - place];
    copy(place, before, all, 0);
    return all;
  }

  private void copy(int place, long before, long[] into, int at) {
    lastAnswers = NONE;
    int length = end() - place;
    System.arraycopy(held, place - start, into, at, length);
    shift(into, at, at + length, -before);
  }

  /**
   * The number of longs that are whole determinants, at most {@code most}; the first long begins
   * one.
   */
  static int whole(long[] values, int from, int most) {
    int count = 0;
    while (count < most) {
      int length = isPair(values[from + count]) ? 2 : 1;
      if (count + length > most) {
        return count;
      }
      count += length;
    }
    return count;
  }

  /** Whether a source and a tag follow. */
  private static boolean isPair(long value) {
    int kind = (int) (value >>> KIND_SHIFT);
    return kind == RECEIVED || kind == FOUND;
  }

  /** Adds to the numbers of receives. */
  private static void shift(long[] values, int from, int to, long by) {
    for (int i = from; i < to; i++) {
      int kind = (int) (values[i] >>> KIND_SHIFT);
      if (kind == RECEIVED || kind == CANCELLED) {
        values[i] = of(kind, number(values[i]) + by);
      }
      if (isPair(values[i])) {
        i++;
      }
    }
  }

  private void dropStable() {
    drop(stable - start);
    start = stable;
  }

  /** Drops the first longs of {@link #held}. */
  private void drop(int first) {
    System.arraycopy(held, first, held, 0, count - first);
    count -= first;
    lastAnswers = lastAnswers < first ? NONE : lastAnswers - first;
  }

  // ---- an asynchronous recovery line

  /** Marks a recovery line, which this rank reaches. */
  void mark() {
    mark = end();
    postedBeforeMark = posted;
    lastAnswers = NONE;
    stopped = false;
  }

  /** The determinants since that recovery line. */
  long[] afterMark() {
    return mark == NONE ? new long[0] : from(mark, postedBeforeMark);
  }

  /** The unreported determinants since that recovery line; null if there is none. */
  LogListener.@Nullable NewDeterminants unreportedAfterMark() {
    if (mark == NONE) {
      return null;
    }
    int from = Math.max(reported, mark);
    return new LogListener.NewDeterminants(from - mark, from(from, postedBeforeMark));
  }

  /** The recovery line is abandoned. */
  void dropMark() {
    mark = NONE;
    dropStable();
  }

  /** The recovery line is committed: all numbers and lengths count from there. */
  void cut() {
    if (mark == NONE) {
      return;
    }
    drop(mark - start);
    reported = Math.max(0, reported - mark);
    stable = Math.max(0, stable - mark);
    start = 0;
    postedBefore = postedBeforeMark;
    dropMark();
  }

  // ---- replay

  /**
   * Replays these determinants, which are those since the recovery line.
   *
   * @param reportedBefore how much of them was reported, in longs
   */
  void replay(long[] before, int reportedBefore) {
    clear();
    start = reportedBefore;
    reported = reportedBefore;
    stable = reportedBefore;
    long[] unreported = Arrays.copyOfRange(before, reportedBefore, before.length);
    shift(unreported, 0, unreported.length, postedBefore);
    for (long value : unreported) {
      add(value);
    }
    int i = 0;
    while (i < before.length) {
      long receive = number(before[i]) + postedBefore;
      switch ((int) (before[i++] >>> KIND_SHIFT)) {
        case RECEIVED -> receives.put(receive, before[i++]);
        case CANCELLED -> receives.put(receive, WILL_BE_CANCELLED);
        case FOUND -> {
          if ((before[i - 1] & VALUE) == AT_ONCE) {
            answers.add(of(YES, 1));
          }
          probes.add(before[i++]);
        }
        case NO, YES -> answers.add(before[i - 1]);
        default -> throw new IllegalArgumentException("no determinant: " + before[i - 1]);
      }
    }
  }

  /** Starts at a recovery line, with only the determinants that are still to be replayed. */
  void keepUnreplayed() {
    replay(unreplayed(), 0);
  }

  /** Whether some determinants are still to be replayed. */
  boolean isReplaying() {
    return !receives.isEmpty() || !probes.isEmpty() || !answers.isEmpty();
  }

  /** The determinants that are still to be replayed, with receives numbered from now on. */
  private long[] unreplayed() {
    List<Long> rest = new ArrayList<>();
    receives.forEach(
        (number, got) -> {
          boolean cancelled = got == WILL_BE_CANCELLED;
          rest.add(of(cancelled ? CANCELLED : RECEIVED, number - posted));
          if (!cancelled) {
            rest.add(got);
          }
        });
    for (long found : probes) {
      rest.add(of(FOUND, 0)); // its answer follows below
      rest.add(found);
    }
    long before = answersGiven;
    for (long run : answers) {
      rest.add(run - before);
      before = 0;
    }
    return rest.stream().mapToLong(Long::longValue).toArray();
  }

  /**
   * The source and tag that this receive matched; or {@link #UNKNOWN}, or {@link
   * #WILL_BE_CANCELLED}.
   */
  long receive(long number) {
    if (receives.isEmpty()) {
      return UNKNOWN;
    }
    Long got = receives.remove(number);
    return got == null ? UNKNOWN : got;
  }

  /** The source and tag that the next probe found, or {@link #UNKNOWN}. */
  long find() {
    Long found = probes.poll();
    return found == null ? UNKNOWN : found;
  }

  /** Whether the next answer is to be replayed. */
  boolean hasAnswer() {
    return !answers.isEmpty();
  }

  /** The next answer, replayed. */
  boolean answer() {
    long run = answers.getFirst();
    answersGiven++;
    if (answersGiven == (run & VALUE)) {
      answers.removeFirst();
      answersGiven = 0;
    }
    lastWasReplayed = true;
    return run >>> KIND_SHIFT == YES;
  }

  /**
   * Whether the last answer was a replayed one; a second call returns false. The operation that it
   * was about may be complete, so the caller must not expect anything more to arrive.
   */
  boolean hasJustAnswered() {
    boolean was = lastWasReplayed;
    lastWasReplayed = false;
    return was;
  }

  /** Whether a receive from this source is nondeterministic. */
  static boolean isNondeterministic(int source) {
    return source == Comm.ANY_SOURCE;
  }
}
