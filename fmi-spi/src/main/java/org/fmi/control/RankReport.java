package org.fmi.control;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a rank shows of itself, about once a second, to whoever looks at the job. Nothing is decided
 * by it. It is read while the rank runs: its parts may be of slightly different moments.
 *
 * @param epoch the epoch it is in; -1 before the first
 * @param place where its program stands
 * @param loop the loop that it is in, counted from 0; -1 for none
 * @param iteration the iteration under way; -1 outside of loops
 * @param iterations how many the loop has; -1 if that is not known
 * @param waiting the call that it waits in; null if it computes, or has not waited for long
 * @param counters its numbers
 * @param meters of the program
 */
public record RankReport(
    int epoch,
    String place,
    long loop,
    long iteration,
    long iterations,
    @Nullable Waiting waiting,
    Map<Counter, Long> counters,
    List<MeterReading> meters) {
  public RankReport {
    counters = Map.copyOf(counters);
    meters = List.copyOf(meters);
  }

  /**
   * A call that has not returned for a while.
   *
   * @param operation its name, such as "recv" or "allReduce"
   * @param peer the world rank that it waits for; {@link #ANY} if any would do
   * @param tag of the message; {@link #ANY} if any would do or there is none
   * @param communicator its name
   * @param nanos since when, as a duration up to the report
   * @param untaken of a send: what leaves no room in the send buffer; null if it waits for
   *     something else
   */
  public record Waiting(
      String operation,
      int peer,
      int tag,
      String communicator,
      long nanos,
      @Nullable Untaken untaken) {
    /** Any rank, any tag, or none in particular. */
    public static final int ANY = -1;

    /** A call that does not wait for room in the send buffer. */
    public Waiting(String operation, int peer, int tag, String communicator, long nanos) {
      this(operation, peer, tag, communicator, nanos, null);
    }
  }

  /**
   * Messages in a rank's send buffer that their receiver has not taken.
   *
   * @param peer the world rank that they are for
   * @param tag that they have; {@link #NO_TAG} of those of collectives
   * @param messages how many they are
   * @param bytes their length in all
   */
  public record Untaken(int peer, int tag, long messages, long bytes) {
    /** In place of a tag. */
    public static final int NO_TAG = -1;

    /** With others of the same peer and tag. */
    public Untaken and(Untaken others) {
      return new Untaken(peer, tag, messages + others.messages, bytes + others.bytes);
    }
  }

  /** The same with other values for some counters, or more of them. */
  public RankReport with(Map<Counter, Long> more) {
    Map<Counter, Long> all = new EnumMap<>(Counter.class);
    all.putAll(counters);
    all.putAll(more);
    return new RankReport(epoch, place, loop, iteration, iterations, waiting, all, meters);
  }

  /** The value of a counter; 0 if the rank does not count it. */
  public long counter(Counter counter) {
    return counters.getOrDefault(counter, 0L);
  }
}
