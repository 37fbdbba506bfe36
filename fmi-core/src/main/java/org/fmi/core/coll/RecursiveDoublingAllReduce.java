package org.fmi.core.coll;

/**
 * Allreduce by recursive doubling: log2 N exchanges of the whole vector. Both partners of an
 * exchange combine the same operands in rank order, so all ranks get the same bits, and operations
 * need not commute. For short vectors.
 */
final class RecursiveDoublingAllReduce {
  private RecursiveDoublingAllReduce() {}

  /** Reduces. {@code result} may be the same location as {@code data}. */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long bytes) {
    PowerOfTwoFold fold = new PowerOfTwoFold(channel, -1);
    Location sum = channel.copyOf(reducer, Scratch.Use.SUM, data, bytes);
    Location other = channel.scratch(reducer, Scratch.Use.OTHER, bytes);
    if (!fold.fold(channel, reducer, sum, other, bytes)) {
      channel.recv(result, bytes, fold.partner());
      return;
    }
    int v = fold.virtual();
    for (int mask = 1; mask < fold.size(); mask <<= 1) {
      int peer = fold.actor(v ^ mask);
      channel.exchange(sum, bytes, peer, other, bytes, peer);
      if ((v & mask) != 0) {
        reducer.combine(other, sum, bytes);
      } else {
        reducer.combine(sum, other, bytes);
        Location combined = other;
        other = sum;
        sum = combined;
      }
    }
    if (fold.paired()) {
      channel.send(sum, bytes, fold.partner());
    }
    sum.copyTo(result, bytes);
  }
}
