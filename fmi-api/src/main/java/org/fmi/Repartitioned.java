package org.fmi;

import java.util.Objects;

/**
 * State of a loop that the program itself partitions among ranks: lists of particles, for instance.
 * With it a job can continue from files with another number of ranks ({@code fmirun
 * --restart-from}): the program receives the part that each rank had, and takes from them the part
 * of this rank. In every other respect it behaves as the state that it wraps.
 *
 * <pre>{@code
 * Repartitioned.of(particles, old -> {
 *   ArrayList<Particle> mine = new ArrayList<>();
 *   for (int rank = 0; rank < old.ranks(); rank++) {
 *     old.get(rank).stream().filter(domain::contains).forEach(mine::add);
 *   }
 *   particles.set(mine);
 * })
 * }</pre>
 */
public final class Repartitioned {
  private final StateRef<?> state;
  private final Partitioner<?> partitioner;

  /**
   * The parts that the ranks of another job had saved.
   *
   * @param <T> what the StateRef refers to
   */
  public interface Old<T> {
    /**
     * The number of ranks of that job.
     *
     * @return 1 or more
     */
    int ranks();

    /**
     * The object that the StateRef of a rank referred to; read from a file at each call.
     *
     * @param rank from 0
     * @return a new object, the caller's own
     */
    T get(int rank);
  }

  /**
   * Repartitions state for another number of ranks.
   *
   * @param <T> what the StateRef refers to
   */
  @FunctionalInterface
  public interface Partitioner<T> {
    /**
     * Makes the StateRef refer to this rank's part. Called when the loop begins, on each rank; it
     * does not communicate.
     *
     * @param old what was saved
     */
    void partition(Old<T> old);
  }

  private Repartitioned(StateRef<?> state, Partitioner<?> partitioner) {
    this.state = Objects.requireNonNull(state);
    this.partitioner = Objects.requireNonNull(partitioner);
  }

  /**
   * State that the program repartitions.
   *
   * @param <T> what the StateRef refers to: an array, or a serializable object
   * @param state this rank's part
   * @param partitioner what to do when a job continues with another number of ranks
   * @return a new one
   */
  public static <T> Repartitioned of(StateRef<T> state, Partitioner<T> partitioner) {
    return new Repartitioned(state, partitioner);
  }

  /**
   * The part of this rank.
   *
   * @return what was given
   */
  public StateRef<?> state() {
    return state;
  }

  /**
   * The function that repartitions the state.
   *
   * @return what was given
   */
  public Partitioner<?> partitioner() {
    return partitioner;
  }
}
