package org.fmi.core.comm;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Group;

/** An ordered set of world ranks. */
public final class RankGroup implements Group {
  private final int[] worldRanks;
  private final int self;

  /** The rank in this group of each world rank up to the highest member's, or UNDEFINED. */
  private final int[] ranks;

  /**
   * Creates a group.
   *
   * @param worldRanks its members, each once
   * @param self this process' world rank
   */
  RankGroup(int[] worldRanks, int self) {
    this.worldRanks = worldRanks;
    this.self = self;
    int highest = -1;
    for (int w : worldRanks) {
      highest = Math.max(highest, w);
    }
    this.ranks = new int[highest + 1];
    Arrays.fill(ranks, Comm.UNDEFINED);
    for (int r = 0; r < worldRanks.length; r++) {
      ranks[worldRanks[r]] = r;
    }
  }

  /** The group of all {@code size} ranks. */
  static RankGroup world(int size, int self) {
    int[] all = new int[size];
    for (int r = 0; r < size; r++) {
      all[r] = r;
    }
    return new RankGroup(all, self);
  }

  /** The implementation's view of a group. */
  static RankGroup of(Group group) {
    if (group instanceof RankGroup g) {
      return g;
    }
    throw new FmiException(
        ErrorClass.GROUP,
        (group == null ? "null" : group.getClass().getName())
            + " is not a group of this library: use Comm.group() and groups made from it");
  }

  /** The members' world ranks; not to be changed. */
  int[] worldRanks() {
    return worldRanks;
  }

  /** The rank in this group of a world rank, or {@link Comm#UNDEFINED}. */
  int rankOf(int worldRank) {
    return worldRank < ranks.length ? ranks[worldRank] : Comm.UNDEFINED;
  }

  boolean containsAll(RankGroup other) {
    for (int w : other.worldRanks) {
      if (rankOf(w) == Comm.UNDEFINED) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int size() {
    return worldRanks.length;
  }

  @Override
  public int rank() {
    return rankOf(self);
  }

  @Override
  public int[] translateRanks(int[] ranks, Group other) {
    RankGroup target = of(other);
    int[] translated = new int[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      translated[i] =
          ranks[i] == Comm.PROC_NULL
              ? Comm.PROC_NULL
              : target.rankOf(worldRanks[checkedRank(ranks[i])]);
    }
    return translated;
  }

  @Override
  public Comparison compare(Group other) {
    RankGroup o = of(other);
    if (Arrays.equals(worldRanks, o.worldRanks)) {
      return Comparison.IDENT;
    }
    return size() == o.size() && containsAll(o) ? Comparison.SIMILAR : Comparison.UNEQUAL;
  }

  @Override
  public Group union(Group other) {
    RankGroup o = of(other);
    int[] members = Arrays.copyOf(worldRanks, size() + o.size());
    int n = size();
    for (int w : o.worldRanks) {
      if (rankOf(w) == Comm.UNDEFINED) {
        members[n++] = w;
      }
    }
    return new RankGroup(Arrays.copyOf(members, n), self);
  }

  @Override
  public Group intersection(Group other) {
    return membersThatAre(of(other), true);
  }

  @Override
  public Group difference(Group other) {
    return membersThatAre(of(other), false);
  }

  private RankGroup membersThatAre(RankGroup other, boolean inOther) {
    int[] members = new int[size()];
    int n = 0;
    for (int w : worldRanks) {
      if ((other.rankOf(w) != Comm.UNDEFINED) == inOther) {
        members[n++] = w;
      }
    }
    return new RankGroup(Arrays.copyOf(members, n), self);
  }

  @Override
  public Group incl(int... ranks) {
    mark(ranks);
    int[] members = new int[ranks.length];
    for (int i = 0; i < ranks.length; i++) {
      members[i] = worldRanks[ranks[i]];
    }
    return new RankGroup(members, self);
  }

  @Override
  public Group excl(int... ranks) {
    boolean[] without = mark(ranks);
    int[] members = new int[size() - ranks.length];
    int n = 0;
    for (int r = 0; r < size(); r++) {
      if (!without[r]) {
        members[n++] = worldRanks[r];
      }
    }
    return new RankGroup(members, self);
  }

  @Override
  public Group rangeIncl(int[][] ranges) {
    return incl(expand(ranges));
  }

  @Override
  public Group rangeExcl(int[][] ranges) {
    return excl(expand(ranges));
  }

  private int[] expand(int[][] ranges) {
    int[] expanded = new int[size()];
    int n = 0;
    for (int[] range : ranges) {
      if (range.length != 3 || range[2] == 0) {
        throw new FmiException(
            ErrorClass.ARG,
            "range "
                + Arrays.toString(range)
                + " is not a triplet (first, last, stride) with a stride other than 0");
      }
      long first = checkedRank(range[0]);
      long limit = range[1];
      long stride = range[2];
      if (stride > 0 ? first > limit : first < limit) {
        throw new FmiException(
            ErrorClass.ARG,
            "range " + Arrays.toString(range) + " never gets from its first rank to its last");
      }
      // The limit of a range need not be one of its ranks, and may lie outside of the group (MPI 4
      // §7.3.2).
      long last = checkedRank((int) (first + (limit - first) / stride * stride));
      for (long r = first; stride > 0 ? r <= last : r >= last; r += stride) {
        if (n == expanded.length) {
          throw twice((int) r);
        }
        expanded[n++] = (int) r;
      }
    }
    return Arrays.copyOf(expanded, n);
  }

  private boolean[] mark(int[] ranks) {
    boolean[] marked = new boolean[size()];
    for (int r : ranks) {
      if (marked[checkedRank(r)]) {
        throw twice(r);
      }
      marked[r] = true;
    }
    return marked;
  }

  private int checkedRank(int rank) {
    if (rank < 0 || rank >= size()) {
      throw new FmiException(
          ErrorClass.RANK,
          "rank "
              + rank
              + " is not in this group of "
              + size()
              + (size() == 0 ? "" : ": use 0 to " + (size() - 1)));
    }
    return rank;
  }

  private static FmiException twice(int rank) {
    return new FmiException(ErrorClass.RANK, "rank " + rank + " is given twice: name each once");
  }

  @Override
  public String toString() {
    return "Group" + Arrays.toString(worldRanks);
  }
}
