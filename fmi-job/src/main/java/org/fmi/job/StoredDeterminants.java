package org.fmi.job;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.fmi.control.RankMessage;

/**
 * Determinants that ranks have reported since the last checkpoint. The replacement of a lost rank
 * must replay them. They are stored here because they must outlive the process and the node of the
 * rank. Their memory is bounded in total: if it does not suffice, the determinants since that
 * checkpoint are dropped, and no rank can roll back to it alone.
 */
final class StoredDeterminants {
  /** Bytes of a set of determinants beside its numbers. */
  private static final int OVERHEAD = 128;

  /** The share of a job of any size, in bytes, and what each rank adds. */
  private static final long LEAST_BYTES = 64 << 20;

  private static final long BYTES_PER_RANK = 4 << 10;

  private static final long[] NOTHING = {};
  private static final NavigableMap<Long, PackedLongs> NONE = Collections.emptyNavigableMap();

  /**
   * By rank and version: two per rank while an asynchronous checkpoint is under way, plus those of
   * abandoned checkpoints.
   */
  private final Map<Integer, NavigableMap<Long, PackedLongs>> byRank = new HashMap<>();

  private final long mostBytes;

  /** The memory that all of them take. */
  private long bytes;

  /** Versions of which determinants were dropped. */
  private final NavigableSet<Long> dropped = new TreeSet<>();

  /** The newest complete checkpoint; no rank rolls back beyond it. */
  private long committed = Long.MIN_VALUE;

  /**
   * @param mostBytes maximum memory
   */
  StoredDeterminants(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Returns the maximum memory of a job with this many ranks, in bytes. */
  static long mostBytes(int ranks) {
    return LEAST_BYTES + ranks * BYTES_PER_RANK;
  }

  /**
   * Stores determinants that a rank reports of itself or of another rank. Some or all of them may
   * be known already.
   *
   * @return false if this was the first time that memory did not suffice for those since this
   *     checkpoint
   */
  boolean store(RankMessage.Determinants m) {
    if (m.committed() > committed) {
      committed = m.committed();
      byRank.values().forEach(versions -> forget(versions.headMap(committed, false)));
      dropped.headSet(committed, false).clear();
    }
    if (m.version() < committed || dropped.contains(m.version())) {
      return true;
    }
    Map<Long, PackedLongs> versions = byRank.computeIfAbsent(m.rank(), _ -> new TreeMap<>());
    PackedLongs reported = versions.get(m.version());
    if (reported == null) {
      reported = new PackedLongs();
      versions.put(m.version(), reported);
      bytes += size(reported);
    }
    int known = reported.length() - m.first();
    assert known >= 0 : m.first() + " follows " + reported.length();
    long[] values = m.determinants();
    assert isContinued(reported, m.first(), values)
        : "rank " + m.rank() + " reports determinants that differ from known ones";
    if (known >= values.length) {
      return true;
    }
    long before = size(reported);
    reported.append(values, known, values.length);
    bytes += size(reported) - before;
    if (bytes <= mostBytes) {
      return true;
    }
    byRank.values().forEach(each -> forget(each.subMap(m.version(), true, m.version(), true)));
    dropped.add(m.version());
    return false;
  }

  private static long size(PackedLongs of) {
    return (long) OVERHEAD + of.capacity();
  }

  private static boolean isContinued(PackedLongs reported, int first, long[] values) {
    int both = Math.min(reported.length() - first, values.length);
    return both <= 0 || Arrays.equals(reported.toArray(), first, first + both, values, 0, both);
  }

  private void forget(Map<Long, PackedLongs> versions) {
    versions.values().forEach(each -> bytes -= size(each));
    versions.clear();
  }

  /** Returns the memory that they take, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Whether all determinants that were reported since this checkpoint are stored. */
  boolean isComplete(long version) {
    return !dropped.contains(version);
  }

  /** Returns the determinants that a rank has reported since this checkpoint. */
  long[] since(long version, int rank) {
    PackedLongs reported = byRank.getOrDefault(rank, NONE).get(version);
    return reported == null ? NOTHING : reported.toArray();
  }

  /**
   * Forgets checkpoints newer than this one: no rank rolls back to them, and others will reuse
   * their versions.
   */
  void forgetNewer(long version) {
    byRank.values().forEach(versions -> forget(versions.tailMap(version, false)));
    dropped.tailSet(version, false).clear();
    committed = Math.min(committed, version);
  }

  /** Forgets all determinants, because all ranks roll back and nothing is replayed. */
  void clear() {
    byRank.clear();
    bytes = 0;
    dropped.clear();
    committed = Long.MIN_VALUE;
  }
}
