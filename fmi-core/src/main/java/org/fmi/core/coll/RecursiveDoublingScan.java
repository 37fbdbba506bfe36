package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/**
 * Scan and exclusive scan by recursive doubling: ceil(log2 N) exchanges of the whole vector.
 * Combines in rank order, so operations need not commute.
 */
final class RecursiveDoublingScan {
  private RecursiveDoublingScan() {}

  /**
   * Scans.
   *
   * @param result may be the same location as {@code data}; unchanged at rank 0 if exclusive
   */
  static void run(
      Channel channel,
      Reducer reducer,
      Location data,
      Location result,
      long bytes,
      boolean exclusive) {
    long part = Scratch.part(reducer, bytes);
    for (long at = 0; at < bytes; at += part) {
      long n = Math.min(part, bytes - at);
      runPart(channel, reducer, data.plus(at), result.plus(at), n, exclusive);
    }
  }

  private static void runPart(
      Channel channel,
      Reducer reducer,
      Location data,
      Location result,
      long bytes,
      boolean exclusive) {
    int rank = channel.rank();
    // The reduction over this rank's run of 2^k ranks.
    Location run = channel.copyOf(reducer, Scratch.Use.SUM, data, bytes);
    Location other = channel.scratch(reducer, Scratch.Use.OTHER, bytes);
    @Nullable Location prefix =
        exclusive ? null : channel.copyOf(reducer, Scratch.Use.SPARE, data, bytes);
    for (int mask = 1; mask < channel.size(); mask <<= 1) {
      int peer = rank ^ mask;
      if (peer >= channel.size()) {
        continue;
      }
      channel.exchange(run, bytes, peer, other, bytes, peer);
      if (peer > rank) {
        reducer.combine(run, other, bytes);
        Location combined = other;
        other = run;
        run = combined;
      } else {
        if (prefix == null) {
          prefix = channel.copyOf(reducer, Scratch.Use.SPARE, other, bytes);
        } else {
          reducer.combine(other, prefix, bytes);
        }
        reducer.combine(other, run, bytes);
      }
    }
    if (prefix != null) {
      prefix.copyTo(result, bytes);
    }
  }
}
