package org.fmi.rules;

import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The log-ring's logic at one rank, as a pure state machine: it knows the links, and which notice
 * to forward: one per failed rank. An event may produce a notice, which its caller sends over all
 * links except those to the sender and to the failed rank.
 */
public final class LogRing {
  private final int size;
  private final int rank;
  private final int base;

  /** The failed ranks that are known here. */
  private final BitSet heard = new BitSet();

  /**
   * A notice of a failure.
   *
   * @param failed the failed rank
   * @param hops the number of ranks that the notice passed before this one; 0 at the rank that
   *     detected the failure
   */
  public record Notice(int failed, int hops) {}

  public LogRing(int size, int rank, int base) {
    if (base < 2 || rank < 0 || rank >= size) {
      throw new IllegalArgumentException("rank " + rank + " of " + size + ", base " + base);
    }
    this.size = size;
    this.rank = rank;
    this.base = base;
  }

  /** The ranks that it has links with, ascending. */
  public Set<Integer> neighbours() {
    Set<Integer> all = new TreeSet<>();
    for (long distance = 1; distance < size; distance *= base) {
      all.add((int) ((rank + distance) % size));
      all.add((int) ((rank - distance + size) % size));
    }
    all.remove(rank);
    return all;
  }

  /**
   * The neighbours that this rank connects to; the other neighbours connect to it. If the rule
   * holds in both directions, the lower rank connects.
   */
  public Set<Integer> connectsTo() {
    Set<Integer> mine = new TreeSet<>();
    for (int other : neighbours()) {
      if (isStep(other - rank) && (rank < other || !isStep(rank - other))) {
        mine.add(other);
      }
    }
    return mine;
  }

  /** Whether a distance round the ring is a power of the base. */
  private boolean isStep(int difference) {
    int distance = Math.floorMod(difference, size);
    long step = 1;
    while (step < distance) {
      step *= base;
    }
    return step == distance;
  }

  /**
   * A rank's link broke, or its death was detected by other means.
   *
   * @return the notice to report and to forward; null if this failure is already known
   */
  public @Nullable Notice lost(int failed) {
    return receive(new Notice(failed, 0));
  }

  /**
   * A notice arrived over a link.
   *
   * @return as {@link #lost}
   */
  public @Nullable Notice receive(Notice notice) {
    if (heard.get(notice.failed())) {
      return null;
    }
    heard.set(notice.failed());
    return notice;
  }

  /** The notice to forward over the links. */
  public static Notice forward(Notice notice) {
    return new Notice(notice.failed(), notice.hops() + 1);
  }
}
