package org.fmi;

/** An ordered set of processes (MPI_Group, MPI 4 §7.3). Immutable. */
public interface Group {
  /**
   * The relation of two groups, or of the groups of two communicators (MPI_Group_compare,
   * MPI_Comm_compare).
   */
  enum Comparison {
    /** The same object. */
    IDENT,
    /** For communicators: the same members in the same order, another context. */
    CONGRUENT,
    /** The same members in another order. */
    SIMILAR,
    /** Other members. */
    UNEQUAL
  }

  /**
   * The number of members (MPI_Group_size).
   *
   * @return 0 or more
   */
  int size();

  /**
   * This process's rank in the group, or {@link Comm#UNDEFINED} if it is no member
   * (MPI_Group_rank).
   *
   * @return 0 to {@link #size} - 1, or {@link Comm#UNDEFINED}
   */
  int rank();

  /**
   * Translates ranks of this group into those of another one (MPI_Group_translate_ranks).
   *
   * @param ranks in this group
   * @param other the group whose ranks are wanted
   * @return as many ranks in {@code other}; {@link Comm#UNDEFINED} for processes that are no
   *     members there
   * @throws FmiException {@link ErrorClass#RANK} if one is not in this group
   */
  int[] translateRanks(int[] ranks, Group other);

  /**
   * Compares members and order (MPI_Group_compare). The result is never {@link
   * Comparison#CONGRUENT}; it is {@link Comparison#IDENT} if members and order are the same.
   *
   * @param other another group
   * @return how they relate
   */
  Comparison compare(Group other);

  /**
   * The members of this group, then those of {@code other} that are not in it (MPI_Group_union).
   *
   * @param other another group
   * @return a new group
   */
  Group union(Group other);

  /**
   * The members that are in both, in this group's order (MPI_Group_intersection).
   *
   * @param other another group
   * @return a new group
   */
  Group intersection(Group other);

  /**
   * The members that are not in {@code other}, in this group's order (MPI_Group_difference).
   *
   * @param other another group
   * @return a new group
   */
  Group difference(Group other);

  /**
   * The members with the given ranks, in the order given (MPI_Group_incl).
   *
   * @param ranks in this group, each at most once
   * @return a new group
   */
  Group incl(int... ranks);

  /**
   * All members except those with the given ranks (MPI_Group_excl).
   *
   * @param ranks in this group, each at most once
   * @return a new group
   */
  Group excl(int... ranks);

  /**
   * {@link #incl} of ranges of ranks (MPI_Group_range_incl).
   *
   * @param ranges triplets (first, last, stride), {@code last} included
   * @return a new group
   */
  Group rangeIncl(int[][] ranges);

  /**
   * {@link #excl} of ranges of ranks (MPI_Group_range_excl).
   *
   * @param ranges triplets (first, last, stride), {@code last} included
   * @return a new group
   */
  Group rangeExcl(int[][] ranges);
}
