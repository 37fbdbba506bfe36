package org.fmi.jobsim;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimTraffic;

/**
 * Invariants of messages, checked while a program says what it sends and receives: the nth message
 * to a rank with a tag is the same whenever it is sent again, and a receive gets each, once, in
 * order. So a message that is delivered twice or left out is found where the next one is received.
 *
 * <p>A rank's numbers follow its line of execution: a rank that rolls back to an iteration counts
 * on from what it had counted before that iteration, in whichever life. So only programs use it
 * whose messages follow from the iteration: none whose data depend on who was first.
 */
class Ledger implements SimTraffic {
  /** Messages that are received in the order sent. */
  private record Channel(int from, int to, int tag) {
    @Override
    public String toString() {
      return "from rank " + from + " to rank " + to + " with tag " + tag;
    }
  }

  /** Numbers of messages that a rank has sent and received. */
  private record Counts(Map<Channel, Integer> sent, Map<Channel, Integer> received) {
    static Counts none() {
      return new Counts(new HashMap<>(), new HashMap<>());
    }

    Counts copy() {
      return new Counts(new HashMap<>(sent), new HashMap<>(received));
    }

    /** The number of the next message. */
    static int next(Map<Channel, Integer> counts, Channel channel) {
      return counts.merge(channel, 1, Integer::sum) - 1;
    }
  }

  /** Counts of a rank: before each iteration, and now. */
  private static final class Rank {
    final Map<Long, Counts> before = new HashMap<>();
    Counts now = Counts.none();
  }

  /** The data of all messages, by number. */
  private final Map<Channel, List<long[]>> messages = new HashMap<>();

  private final Map<Integer, Rank> ranks = new HashMap<>();

  /** Number of frames that have arrived at ranks. */
  private long frames;

  private Rank rank(int rank) {
    return ranks.computeIfAbsent(rank, _ -> new Rank());
  }

  @Override
  public void onArrival(SimProcess at, int from, MemorySegment frame) {
    frames++;
  }

  /** Number of frames that have arrived at ranks so far. */
  long frames() {
    return frames;
  }

  @Override
  public void onIteration(int rank, long iteration) {
    Rank of = rank(rank);
    Counts now = of.now;
    of.now = of.before.computeIfAbsent(iteration, _ -> now.copy()).copy();
  }

  @Override
  public void onSend(int rank, int dest, int tag, long[] data) {
    Channel channel = new Channel(rank, dest, tag);
    int number = Counts.next(rank(rank).now.sent, channel);
    List<long[]> all = messages.computeIfAbsent(channel, _ -> new ArrayList<>());
    if (number == all.size()) {
      all.add(data.clone());
    } else if (!Arrays.equals(all.get(number), data)) {
      throw new AssertionError("message " + number + " " + channel + " is another one than before");
    }
  }

  @Override
  public void onReceive(int rank, int source, int tag, long[] data) {
    Channel channel = new Channel(source, rank, tag);
    int number = Counts.next(rank(rank).now.received, channel);
    List<long[]> all = messages.getOrDefault(channel, List.of());
    if (number >= all.size()) {
      throw new AssertionError(
          "message " + number + " " + channel + " was received, but never sent");
    }
    if (!Arrays.equals(all.get(number), data)) {
      throw new AssertionError("message " + number + " " + channel + " is not what was sent");
    }
  }

  /** Checks, when all ranks have ended, that every message sent was received. */
  void checkAllReceived() {
    messages.forEach(
        (channel, all) -> {
          int received = rank(channel.to).now.received.getOrDefault(channel, 0);
          if (received != all.size()) {
            throw new AssertionError(
                "of %d messages %s only %d were received".formatted(all.size(), channel, received));
          }
        });
  }
}
