package org.fmi.core.coll;

/**
 * Reduce-scatter by recursive halving: log2 N steps. For short vectors and commutative operations.
 */
final class RecursiveHalvingReduceScatter {
  private RecursiveHalvingReduceScatter() {}

  /**
   * Reduces.
   *
   * @param result the destination of this rank's block; may be inside {@code data}
   * @param starts the offsets of the ranks' blocks in bytes, and the vector's end
   */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long[] starts) {
    PowerOfTwoFold fold = new PowerOfTwoFold(channel, -1);
    int rank = channel.rank();
    long mine = starts[rank + 1] - starts[rank];
    long total = starts[channel.size()];
    Location sum = channel.copyOf(reducer, Scratch.Use.SUM, data, total);
    Location spare =
        channel.scratch(reducer, Scratch.Use.OTHER, fold.paired() && fold.acts() ? total : 0);
    if (!fold.fold(channel, reducer, sum, spare, total)) {
      channel.recv(result, mine, fold.partner());
      return;
    }
    long[] pairStarts = new long[fold.size() + 1];
    for (int v = 0; v <= fold.size(); v++) {
      pairStarts[v] = starts[fold.first(v)];
    }
    RecursiveHalving.run(channel, fold, reducer, sum, sum, pairStarts);
    if (fold.paired()) {
      int partner = fold.partner();
      channel.send(sum.plus(starts[partner]), starts[partner + 1] - starts[partner], partner);
    }
    sum.plus(starts[rank]).copyTo(result, mine);
  }
}
