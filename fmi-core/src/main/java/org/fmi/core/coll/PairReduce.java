package org.fmi.core.coll;

/**
 * Reduce of two ranks, in pieces: the root combines one while the next one comes. For long vectors,
 * whose bytes move once; halving would move them one and a half times.
 */
final class PairReduce {
  private PairReduce() {}

  /** Either operand may be the left one, as in shared memory. */
  static boolean suits(Channel channel, Reducer reducer) {
    return channel.size() == 2 && reducer.divisible() && reducer.group() == 1;
  }

  /**
   * Reduces.
   *
   * @param result where the result goes at the root; at the other rank not used
   */
  static void run(
      Channel channel, Reducer reducer, Location data, Location result, long bytes, int root) {
    int other = channel.neighbour(1);
    if (channel.rank() == root) {
      combine(channel, reducer, data, result, bytes, other);
      return;
    }
    Pipeline.Outgoing out = new Pipeline.Outgoing(channel, data, bytes, root);
    for (long at = 0; at < bytes; at += Pipeline.BYTES) {
      out.send();
    }
    out.finish();
  }

  private static void combine(
      Channel channel, Reducer reducer, Location data, Location result, long bytes, int other) {
    Location operand;
    Pipeline.Incoming in;
    if (reducer.direct(data, result)) {
      operand = data;
      in = new Pipeline.Incoming(channel, result, bytes, other);
    } else {
      data.copyTo(result, bytes);
      // At the same offset as the result, if that is not far: combined fastest.
      long offset = Math.min(result.at(), bytes);
      operand = channel.scratch(reducer, Scratch.Use.SPARE, offset + bytes).plus(offset);
      in = new Pipeline.Incoming(channel, operand, bytes, other);
    }
    for (long at = 0; at < bytes; at += Pipeline.BYTES) {
      long n = in.await();
      reducer.combine(operand.plus(at), result.plus(at), n);
    }
  }
}
