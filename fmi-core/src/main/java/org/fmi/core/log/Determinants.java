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
 * What this rank has decided since the last line by the time at which messages came, so that a
 * process that repeats it alone decides the same: which message each receive from any source got,
 * and which of its receives were cancelled, by their number in the order posted; what probes have
 * found; and how calls have answered that may say yes or no.
 *
 * <p>What is decided is recorded here, and goes ahead of each message that may depend on it until
 * the job keeps it ({@link UnstableDeterminants}). A process that goes back alone gets all that
 * anybody has heard of, and repeats it. The rest is decided anew.
 *
 * <p>As longs: of a receive {@code RECEIVED | number}, source and tag; of a cancelled one {@code
 * CANCELLED | number}; of a probe {@code FOUND}, source and tag, with {@link #AT_ONCE} if it might
 * have found nothing; of equal answers one after the other {@code NO | count} or {@code YES |
 * count}. Receives are numbered from the line on; those posted before it that are still under way
 * there have numbers below zero.
 *
 * <p>Each stands alone: who knows the first of them only repeats these, and decides the rest anew.
 */
final class Determinants {
  /** What a rank may tell between two lines: the job keeps it. */
  static final int MOST = 1 << 17;

  /** In place of a source and a tag: nothing was reported of this receive. */
  static final long UNKNOWN = -1;

  /** In place of a source and a tag: it will be cancelled before a message matches. */
  static final long WILL_BE_CANCELLED = -2;

  private static final int KIND_SHIFT = 56;
  private static final long VALUE = (1L << KIND_SHIFT) - 1;
  private static final int RECEIVED = 1;
  private static final int CANCELLED = 2;
  private static final int FOUND = 3;
  private static final int NO = 4;
  private static final int YES = 5;

  /** Of a probe: the answer was yes. */
  private static final long AT_ONCE = 1;

  private static final int NONE = -1;

  /** Receives posted so far: here their numbers count from the beginning, not from a line. */
  private long posted;

  // ---- what was decided, as far as it is still needed here
  private long[] held = new long[64];
  private int count;

  /** How much was decided before that. */
  private int start;

  /** Where the last answers stand in it, if nothing has been recorded since. */
  private int lastAnswers = NONE;

  /** How much was reported to the job. */
  private int told;

  /** How much the job keeps: that is not needed here. */
  private int kept;

  /** How often something was recorded. */
  private long changes;

  // ---- a line that this rank has come to, and that is not committed

  /** How much was decided before it; {@link #NONE} if there is no such line. */
  private int mark = NONE;

  /** Receives posted before the line that all of this counts from, and before that one. */
  private long postedBefore;

  private long postedBeforeMark;

  /** There were too many: nothing is recorded before the next line. */
  private boolean stopped;

  // ---- what is to be repeated
  private final Map<Long, Long> receives = new HashMap<>();
  private final ArrayDeque<Long> probes = new ArrayDeque<>();
  private final ArrayDeque<Long> answers = new ArrayDeque<>();

  /** How many of the first answers were given. */
  private long given;

  /** The last answer was a repeated one. */
  private boolean repeating;

  /** A line: nothing was decided since. */
  void clear() {
    postedBefore = posted;
    mark = NONE;
    start = 0;
    count = 0;
    lastAnswers = NONE;
    told = 0;
    kept = 0;
    stopped = false;
    receives.clear();
    probes.clear();
    answers.clear();
    given = 0;
    repeating = false;
  }

  /** Source and tag as one number. */
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

  /** A receive is posted; gives its number. */
  long post() {
    return posted++;
  }

  /** How many receives were posted so far: the number that the next one gets. */
  long posted() {
    return posted;
  }

  private static long of(int kind, long number) {
    return (long) kind << KIND_SHIFT | (number & VALUE);
  }

  /** The number of a receive, which may be below zero. */
  private static long number(long value) {
    int kindBits = Long.SIZE - KIND_SHIFT;
    return value << kindBits >> kindBits;
  }

  /** A receive from any source has got its message. */
  void received(long number, int source, long tag) {
    add(of(RECEIVED, number));
    add(pack(source, tag));
  }

  /** A receive was cancelled. */
  void cancelled(long number) {
    add(of(CANCELLED, number));
  }

  /** A probe that waits has found a message. */
  void found(int source, long tag) {
    add(of(FOUND, 0));
    add(pack(source, tag));
  }

  /** One that does not wait has found a message: its answer is yes. */
  void foundAtOnce(int source, long tag) {
    add(of(FOUND, AT_ONCE));
    add(pack(source, tag));
  }

  /** A call has answered, where nothing else here says so. */
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

  /** How often something was recorded. */
  long changes() {
    return changes;
  }

  /** Whether something was decided that was not reported. */
  boolean areUntold() {
    return end() > told;
  }

  /** Whether there is more than the job would keep. */
  boolean areTooMany() {
    return end() > MOST;
  }

  /** Records nothing before the next line. */
  void stop() {
    stopped = true;
    mark = NONE;
    told = end();
    keep();
  }

  /** How much was reported to the job. */
  int told() {
    return told;
  }

  /** The job keeps all that was reported. */
  void keep() {
    kept = told;
    if (mark == NONE) {
      forgetKept();
    }
  }

  /** Whether something was reported that may not be kept yet. */
  boolean areUnderWay() {
    return told > kept;
  }

  /** How much may be kept nowhere else. */
  int unkeptCount() {
    return end() - kept;
  }

  /** How much the job keeps. */
  int kept() {
    return kept;
  }

  /** How much was decided. */
  int end() {
    return start + count;
  }

  /** Copies all from a place on. What is recorded from now on does not change that. */
  void copy(int place, long[] into, int at) {
    copy(place, postedBefore, into, at);
  }

  /** Whether there is a line that this rank has come to, and that is not committed. */
  boolean areMarked() {
    return mark != NONE;
  }

  /** How much the job keeps of what was decided behind that. */
  int keptBehind() {
    return Math.max(kept, mark) - mark;
  }

  /** How much was decided behind it. */
  int endBehind() {
    return end() - mark;
  }

  /** Copies all of that from a place on. */
  void copyBehind(int place, long[] into, int at) {
    copy(mark + place, postedBeforeMark, into, at);
  }

  /** Gives what was not reported; it counts as reported from now on. */
  long[] take() {
    long[] taken = from(told, postedBefore);
    told = end();
    return taken;
  }

  /** All from a place on, with receives counted from where so many had been posted. */
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

  /** How many of some longs are whole determinants, if the first begins one. */
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

  private void forgetKept() {
    forget(kept - start);
    start = kept;
  }

  /** Forgets the first of what is held. */
  private void forget(int first) {
    System.arraycopy(held, first, held, 0, count - first);
    count -= first;
    lastAnswers = lastAnswers < first ? NONE : lastAnswers - first;
  }

  // ---- a line that each rank comes to at a time of its own

  /** This rank is there. */
  void mark() {
    mark = end();
    postedBeforeMark = posted;
    lastAnswers = NONE;
    stopped = false;
  }

  /** What was decided since. */
  long[] behind() {
    return mark == NONE ? new long[0] : from(mark, postedBeforeMark);
  }

  /** What of that was not reported. */
  LogListener.@Nullable Told untoldBehind() {
    if (mark == NONE) {
      return null;
    }
    int from = Math.max(told, mark);
    return new LogListener.Told(from - mark, from(from, postedBeforeMark));
  }

  /** There will be no such line. */
  void dropMark() {
    mark = NONE;
    forgetKept();
  }

  /** It is committed: all counts from there. */
  void cut() {
    if (mark == NONE) {
      return;
    }
    forget(mark - start);
    told = Math.max(0, told - mark);
    kept = Math.max(0, kept - mark);
    start = 0;
    postedBefore = postedBeforeMark;
    dropMark();
  }

  // ---- repeating

  /**
   * From the line on, all of this was decided before.
   *
   * @param toldBefore how much of it was reported
   */
  void repeat(long[] before, int toldBefore) {
    clear();
    start = toldBefore;
    told = toldBefore;
    kept = toldBefore;
    long[] untold = Arrays.copyOfRange(before, toldBefore, before.length);
    shift(untold, 0, untold.length, postedBefore);
    for (long again : untold) {
      add(again);
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

  /** A line: nothing was decided since, but for what is still to be repeated. */
  void pass() {
    repeat(rest(), 0);
  }

  /** Whether there is something to be repeated. */
  boolean areRepeated() {
    return !receives.isEmpty() || !probes.isEmpty() || !answers.isEmpty();
  }

  /** What is still to be repeated, by numbers from now on. */
  private long[] rest() {
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
      rest.add(of(FOUND, 0)); // whose answer is among those that follow
      rest.add(found);
    }
    long before = given;
    for (long run : answers) {
      rest.add(run - before);
      before = 0;
    }
    return rest.stream().mapToLong(Long::longValue).toArray();
  }

  /** What this receive got; or {@link #UNKNOWN}, or {@link #WILL_BE_CANCELLED}. */
  long receive(long number) {
    if (receives.isEmpty()) {
      return UNKNOWN;
    }
    Long got = receives.remove(number);
    return got == null ? UNKNOWN : got;
  }

  /** What the next probe found, or {@link #UNKNOWN}. */
  long find() {
    Long found = probes.poll();
    return found == null ? UNKNOWN : found;
  }

  /** Whether the next answer is to be repeated. */
  boolean haveAnswer() {
    return !answers.isEmpty();
  }

  /** The next answer, repeated. */
  boolean answer() {
    long run = answers.getFirst();
    given++;
    if (given == (run & VALUE)) {
      answers.removeFirst();
      given = 0;
    }
    repeating = true;
    return run >>> KIND_SHIFT == YES;
  }

  /**
   * Whether the last answer was a repeated one; asked once. What it was about may be complete, so
   * that nothing more will come.
   */
  boolean haveJustAnswered() {
    boolean was = repeating;
    repeating = false;
    return was;
  }

  /** Whether a receive with this source is one whose message is decided by time. */
  static boolean isOpen(int source) {
    return source == Comm.ANY_SOURCE;
  }
}
