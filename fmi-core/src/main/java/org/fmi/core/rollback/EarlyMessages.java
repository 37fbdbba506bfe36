package org.fmi.core.rollback;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.Comm;
import org.fmi.core.epoch.Exchange;
import org.fmi.core.log.InTransitMessages.Received;

/** Reports early messages to their senders, which must not send them again after a rollback. */
public final class EarlyMessages {
  /** Length and checksum of a message. */
  private static final int LONGS = 2;

  private EarlyMessages() {}

  /**
   * Exchanges the reports; collective over all ranks.
   *
   * @param here messages that this rank has received, by sender in the order sent
   * @return messages of this rank that others have received, by receiver in the order sent
   */
  static List<Received> exchange(Comm system, List<Received> here) {
    int size = system.size();
    int[] lengths = new int[size];
    for (Received each : here) {
      lengths[each.rank()] += LONGS;
    }
    long[][] out = new long[size][];
    Arrays.setAll(out, rank -> new long[lengths[rank]]);
    int[] next = new int[size];
    for (Received each : here) {
      out[each.rank()][next[each.rank()]++] = each.length();
      out[each.rank()][next[each.rank()]++] = each.sum();
    }
    long[][] in = Exchange.of(system, out);
    List<Received> there = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      for (int at = 0; at < in[rank].length; at += LONGS) {
        there.add(new Received(rank, in[rank][at], in[rank][at + 1]));
      }
    }
    return there;
  }
}
