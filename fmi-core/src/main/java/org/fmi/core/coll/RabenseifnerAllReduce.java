package org.fmi.core.coll;

/**
 * Rabenseifner's allreduce: reduce-scatter by recursive halving, then allgather by recursive
 * doubling. 2 log2 N steps and about twice the vector's bytes through each rank. Each block is
 * computed by one rank, so all ranks get the same bits. For long vectors and commutative
 * operations.
 */
final class RabenseifnerAllReduce {
  private RabenseifnerAllReduce() {}

  /** Reduces. {@code result} may be the same location as {@code data}. */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long bytes) {
    PowerOfTwoFold fold = new PowerOfTwoFold(channel, -1);
    if (!fold.acts()) {
      Pipeline.send(channel, data, bytes, fold.partner());
      channel.recv(result, bytes, fold.partner());
      return;
    }
    Location from = data;
    if (fold.paired()) {
      Pipeline.receive(channel, reducer, data, result, bytes, fold.partner());
      from = result;
    }
    long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, fold.size());
    RecursiveHalving.run(channel, fold, reducer, from, result, starts);
    int v = fold.virtual();
    for (int mask = 1; mask < fold.size(); mask <<= 1) {
      int peer = fold.actor(v ^ mask);
      int mine = v & -mask;
      int theirs = mine ^ mask;
      channel.exchange(
          result.plus(starts[mine]),
          starts[mine + mask] - starts[mine],
          peer,
          result.plus(starts[theirs]),
          starts[theirs + mask] - starts[theirs],
          peer);
    }
    if (fold.paired()) {
      channel.send(result, bytes, fold.partner());
    }
  }
}
