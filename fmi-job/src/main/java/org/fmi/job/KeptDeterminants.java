package org.fmi.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.fmi.control.RankMessage;

/**
 * Keeps what ranks have decided since the last checkpoint by the time at which messages came: the
 * next process of a rank that is lost has to decide the same. It is kept here, as what a rank has
 * told must outlive its process and its node.
 */
final class KeptDeterminants {
  /** What one rank has reported since a checkpoint. */
  private static final class Told {
    long[] values = new long[16];
    int length;
  }

  private static final long[] NOTHING = {};
  private static final NavigableMap<Long, Told> NONE = Collections.emptyNavigableMap();

  /**
   * By rank and version: two of each rank while a checkpoint that nobody waits for is under way.
   */
  private final Map<Integer, NavigableMap<Long, Told>> byRank = new HashMap<>();

  /** By rank, the version that it has reported last. */
  private final Map<Integer, Long> toldLast = new HashMap<>();

  /** Keeps what a rank tells. */
  void keep(int rank, RankMessage.Chose m) {
    NavigableMap<Long, Told> versions = byRank.computeIfAbsent(rank, _ -> new TreeMap<>());
    Told told = versions.get(m.version());
    if (told == null) {
      // It tells of the checkpoint before first, as long as it may go back to that.
      versions.keySet().retainAll(Set.of(toldLast.getOrDefault(rank, m.version())));
      told = new Told();
      versions.put(m.version(), told);
    }
    toldLast.put(rank, m.version());
    // A process that goes back has got all that was kept, and goes on behind it.
    assert m.first() == told.length : m.first() + " follows " + told.length;
    int length = m.first() + m.determinants().length;
    if (length > told.values.length) {
      told.values = Arrays.copyOf(told.values, Math.max(length, 2 * told.values.length));
    }
    System.arraycopy(m.determinants(), 0, told.values, m.first(), m.determinants().length);
    told.length = length;
  }

  /** What a rank has reported since this checkpoint. */
  long[] since(long version, int rank) {
    Told told = byRank.getOrDefault(rank, NONE).get(version);
    return told == null ? NOTHING : Arrays.copyOf(told.values, told.length);
  }

  /** No rank goes back to a newer checkpoint than this one: others will have their versions. */
  void forgetNewer(long version) {
    byRank.values().forEach(versions -> versions.tailMap(version, false).clear());
  }

  /** All go back: what was decided is decided anew. */
  void clear() {
    byRank.clear();
    toldLast.clear();
  }
}
