package org.fmi;

/**
 * Something that a program may want to know of failures and checkpoints: see {@link Fmi#listen}.
 */
public sealed interface FaultEvent {

  /**
   * A rank has failed. Where lost ranks are replaced, this comes with the first notice of it, which
   * a {@link FalsePositive} may take back.
   *
   * @param rank its rank in {@link Fmi#world}
   * @param by who has noticed it, for people to read
   * @param hops the number of ranks that have passed the notice on; 0 if this rank has noticed it
   *     itself, {@link #TOLD} if fmirun has reported it
   */
  record Failed(int rank, String by, int hops) implements FaultEvent {
    /** Instead of a number of hops: fmirun has reported it to this rank. */
    public static final int TOLD = -1;
  }

  /**
   * A rank was taken for dead, and lives.
   *
   * @param rank its rank in {@link Fmi#world}
   */
  record FalsePositive(int rank) implements FaultEvent {}

  /**
   * A checkpoint is due.
   *
   * @param iteration the iteration of the loop that follows it
   */
  record CheckpointDue(long iteration) implements FaultEvent {}

  /**
   * A checkpoint is committed: all ranks have it.
   *
   * @param version its number, which grows
   */
  record CheckpointDone(long version) implements FaultEvent {}

  /**
   * The rank runs again after a failure.
   *
   * @param epoch {@link Fmi#epoch} from now on
   * @param iteration the iteration of the loop that it continues with
   */
  record Recovered(int epoch, long iteration) implements FaultEvent {}
}
