package org.fmi;

/** An ordered set of processes (MPI_Group, MPI 4 §7.3). Immutable. */
public interface Group {
  /**
   * How two groups, or the groups of two communicators, relate (MPI_Group_compare,
   * MPI_Comm_compare).
   */
  enum Comparison {
    /** The same object. */
    IDENT,
    /** For communicators: the same members in the same order, another context. */
    CONGRUENT,
    /** The same members in another order. */
    SIMILAR,
    UNEQUAL
  }

  int size();

  /** This process' rank in the group, or {@link Comm#UNDEFINED} if it is no member. */
  int rank();

  /**
   * The ranks in {@code other} of the processes that have {@code ranks} here; {@link
   * Comm#UNDEFINED} for those that are no members there (MPI_Group_translate_ranks).
   *
   * @throws FmiException {@link ErrorClass#RANK} if one is not in this group
   */
  int[] translateRanks(int[] ranks, Group other);

  /**
   * Compares members and order; never {@link Comparison#CONGRUENT}, and {@link Comparison#IDENT} if
   * both are the same.
   */
  Comparison compare(Group other);

  /** The members of this group, then those of {@code other} that are not in it. */
  Group union(Group other);

  /** The members that are in both, in this group's order. */
  Group intersection(Group other);

  /** The members that are not in {@code other}, in this group's order. */
  Group difference(Group other);

  /** The members with the given ranks, in the order given. */
  Group incl(int... ranks);

  /** The members but those with the given ranks. */
  Group excl(int... ranks);

  /** As {@link #incl} with triplets (first, last, stride). */
  Group rangeIncl(int[][] ranges);

  /** As {@link #excl} with triplets (first, last, stride). */
  Group rangeExcl(int[][] ranges);
}
