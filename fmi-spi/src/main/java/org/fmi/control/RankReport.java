package org.fmi.control;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of a rank, about once a second, for a user who watches the job. No decision depends on
 * it. It is read while the rank runs, so its parts may belong to slightly different moments.
 *
 * @param epoch the epoch it is in; -1 before the first
 * @param place the position of its program
 * @param loop the loop that it is in, counted from 0; -1 for none
 * @param iteration the iteration under way; -1 outside of loops
 * @param iterations the loop's number of iterations; -1 if unknown
 * @param waiting the call that it waits in; null if it computes, or has not waited long
 * @param counters its counters
 * @param meters the program's meters
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
   * A call that has waited for a while.
   *
   * @param operation its name, such as "recv" or "allReduce"
   * @param peer the world rank that it waits for; {@link #ANY} if any rank would do
   * @param tag the message's tag; {@link #ANY} if any tag would do or there is none
   * @param communicator its name
   * @param nanos the duration up to the report
   * @param untaken for a send: the messages that fill the send buffer; null if it waits for
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
   * @param peer the world rank of the receiver
   * @param tag their tag; {@link #NO_TAG} for messages of collectives
   * @param messages their number
   * @param bytes their total length
   */
  public record Untaken(int peer, int tag, long messages, long bytes) {
    /** In place of a tag. */
    public static final int NO_TAG = -1;

    /** The sum with more messages to the same peer with the same tag. */
    public Untaken and(Untaken others) {
      return new Untaken(peer, tag, messages + others.messages, bytes + others.bytes);
    }
  }

  /** A copy with other values for some counters, or more counters. */
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
