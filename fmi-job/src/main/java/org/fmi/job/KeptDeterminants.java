package org.fmi.job;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.fmi.control.RankMessage;

/**
 * Keeps what ranks have decided since the last checkpoint by the time at which messages came: the
 * next process of a rank that is lost has to decide the same. It is kept here, as what a rank has
 * told must outlive its process and its node.
 */
final class KeptDeterminants {
  /** What one rank has told since a checkpoint. */
  private static final class Told {
    final long version;
    long[] values = new long[16];
    int length;

    Told(long version) {
      this.version = version;
    }
  }

  private static final long[] NOTHING = {};

  private final Map<Integer, Told> byRank = new HashMap<>();

  /**
   * Keeps what a rank tells.
   *
   * @return how much of it there is now
   */
  int keep(int rank, RankMessage.Chose m) {
    Told told = byRank.get(rank);
    if (told == null || told.version != m.version()) {
      told = new Told(m.version());
      byRank.put(rank, told);
    }
    // A process that goes back has got all that was kept, and goes on behind it.
    assert m.first() == told.length : m.first() + " follows " + told.length;
    int length = m.first() + m.determinants().length;
    if (length > told.values.length) {
      told.values = Arrays.copyOf(told.values, Math.max(length, 2 * told.values.length));
    }
    System.arraycopy(m.determinants(), 0, told.values, m.first(), m.determinants().length);
    told.length = length;
    return length;
  }

  /** What a rank has told since this checkpoint. */
  long[] since(long version, int rank) {
    Told told = byRank.get(rank);
    return told == null || told.version != version
        ? NOTHING
        : Arrays.copyOf(told.values, told.length);
  }

  /** All go back: what was decided is decided anew. */
  void clear() {
    byRank.clear();
  }
}
