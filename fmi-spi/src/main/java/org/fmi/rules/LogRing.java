package org.fmi.rules;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one rank does in the overlay, as a pure state machine: it knows the links, and which notice
 * to pass on. Events go in; what comes out is to be sent over all links but those to the sender and
 * to the failed rank.
 */
public final class LogRing {
  private final int size;
  private final int rank;
  private final int base;
  private @Nullable Notice heard;

  /**
   * A notice of a failure.
   *
   * @param failed the rank that has failed
   * @param hops how many ranks the notice passed before this one; 0 where the failure was seen
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

  /** The ranks it has links with, ascending. */
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
   * Those of its neighbours that it connects to; the others connect to it. Of two that would
   * connect to each other, the lower does.
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
   * A rank's link broke, or it was found dead by other means.
   *
   * @return the notice to report and to pass on; null if a failure is known already
   */
  public @Nullable Notice lost(int failed) {
    return heard(new Notice(failed, 0));
  }

  /**
   * A notice came over a link.
   *
   * @return as {@link #lost}
   */
  public @Nullable Notice heard(Notice notice) {
    if (heard != null) {
      return null;
    }
    heard = notice;
    return notice;
  }

  /** What goes over the links. */
  public static Notice passOn(Notice notice) {
    return new Notice(notice.failed(), notice.hops() + 1);
  }
}
