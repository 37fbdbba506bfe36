package org.fmi.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.fmi.control.RankMessage;

/**
 * Determinants that ranks have reported since the last checkpoint. The replacement of a lost rank
 * must replay them. They are stored here because they must outlive the process and the node of the
 * rank.
 */
final class StoredDeterminants {
  /** The determinants that one rank has reported since a checkpoint. */
  private static final class Reported {
    long[] values = new long[16];
    int length;

    boolean hasAt(int place, long[] others, int count) {
      return Arrays.equals(values, place, place + count, others, 0, count);
    }
  }

  private static final long[] NOTHING = {};
  private static final NavigableMap<Long, Reported> NONE = Collections.emptyNavigableMap();

  /**
   * By rank and version: two per rank while an asynchronous checkpoint is under way, plus those of
   * abandoned checkpoints.
   */
  private final Map<Integer, NavigableMap<Long, Reported>> byRank = new HashMap<>();

  /** The newest complete checkpoint; no rank rolls back beyond it. */
  private long committed = Long.MIN_VALUE;

  /**
   * Stores determinants that a rank reports of itself or of another rank. Some or all of them may
   * be known already.
   */
  void store(RankMessage.Determinants m) {
    if (m.committed() > committed) {
      committed = m.committed();
      byRank.values().forEach(versions -> versions.headMap(committed, false).clear());
    }
    if (m.version() < committed) {
      return;
    }
    Map<Long, Reported> versions = byRank.computeIfAbsent(m.rank(), _ -> new TreeMap<>());
    Reported reported = versions.computeIfAbsent(m.version(), _ -> new Reported());
    int known = reported.length - m.first();
    assert known >= 0 : m.first() + " follows " + reported.length;
    long[] values = m.determinants();
    assert reported.hasAt(m.first(), values, Math.min(known, values.length))
        : "rank " + m.rank() + " reports determinants that differ from known ones";
    int length = m.first() + values.length;
    if (length <= reported.length) {
      return;
    }
    if (length > reported.values.length) {
      reported.values =
          Arrays.copyOf(reported.values, Math.max(length, 2 * reported.values.length));
    }
    System.arraycopy(values, known, reported.values, reported.length, values.length - known);
    reported.length = length;
  }

  /** Returns the determinants that a rank has reported since this checkpoint. */
  long[] since(long version, int rank) {
    Reported reported = byRank.getOrDefault(rank, NONE).get(version);
    return reported == null ? NOTHING : Arrays.copyOf(reported.values, reported.length);
  }

  /**
   * Forgets checkpoints newer than this one: no rank rolls back to them, and others will reuse
   * their versions.
   */
  void forgetNewer(long version) {
    byRank.values().forEach(versions -> versions.tailMap(version, false).clear());
    committed = Math.min(committed, version);
  }

  /** Forgets all determinants, because all ranks roll back and nothing is replayed. */
  void clear() {
    byRank.clear();
    committed = Long.MIN_VALUE;
  }
}
