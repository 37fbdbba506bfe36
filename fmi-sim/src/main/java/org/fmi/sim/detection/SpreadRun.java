package org.fmi.sim.detection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.fmi.rules.LogRing;
import org.fmi.rules.RingOrder;
import org.fmi.rules.Spread;

/** Spreads the news of simultaneous failures in rounds: each message takes one. */
public final class SpreadRun {
  /**
   * The outcome.
   *
   * @param messages the messages to living ranks
   * @param rounds the most messages that news took to reach a rank, one after the other
   * @param unreached the number of times that news of a failure did not reach a living rank
   */
  public record Outcome(long messages, int rounds, int unreached) {}

  private record Sent(int from, int to, int round) {}

  private SpreadRun() {}

  /**
   * Runs it. In the log-ring all living neighbours of a dead rank notice its death, else the
   * nearest living rank after it.
   */
  public static Outcome of(Spread.Kind kind, RingOrder order, BitSet dead, int base) {
    int size = order.size();
    Spread[] ranks = new Spread[size];
    for (int rank = 0; rank < size; rank++) {
      ranks[rank] = new Spread(kind, order, rank, base);
    }
    long messages = 0;
    int rounds = 0;
    int unreached = 0;
    for (int failed = dead.nextSetBit(0); failed >= 0; failed = dead.nextSetBit(failed + 1)) {
      int reached = 0;
      ArrayDeque<Sent> inFlight = new ArrayDeque<>();
      for (int detector : detectors(kind, order, dead, failed, base)) {
        inFlight.add(new Sent(Spread.NOBODY, detector, 0));
      }
      for (Sent sent; (sent = inFlight.poll()) != null; ) {
        if (dead.get(sent.to)) {
          continue;
        }
        messages += sent.from == Spread.NOBODY ? 0 : 1;
        List<Integer> next = ranks[sent.to].learn(failed, sent.from);
        if (next != null) {
          reached++;
          rounds = Math.max(rounds, sent.round);
          for (int to : next) {
            inFlight.add(new Sent(sent.to, to, sent.round + 1));
          }
        }
      }
      unreached += size - dead.cardinality() - reached;
    }
    return new Outcome(messages, rounds, unreached);
  }

  private static List<Integer> detectors(
      Spread.Kind kind, RingOrder order, BitSet dead, int failed, int base) {
    int at = order.position(failed);
    List<Integer> detectors = new ArrayList<>();
    if (kind == Spread.Kind.LOGRING) {
      for (int position : new LogRing(order.size(), at, base).neighbours()) {
        detectors.add(order.rank(position));
      }
      detectors.removeIf(dead::get);
      return detectors;
    }
    int next = at;
    do {
      next = (next + 1) % order.size();
    } while (dead.get(order.rank(next)));
    detectors.add(order.rank(next));
    return detectors;
  }
}
