package org.fmi;

import java.util.Objects;

/**
 * State of a loop that the program itself divides among ranks: lists of particles, for instance.
 * With it a job can go on from files with another number of ranks ({@code fmirun --restart-from}):
 * then the program is given what each rank had, and takes what is this rank's. In all else it is
 * what it is made of.
 *
 * <pre>{@code
 * Divided.of(particles, old -> {
 *   ArrayList<Particle> mine = new ArrayList<>();
 *   for (int rank = 0; rank < old.ranks(); rank++) {
 *     old.get(rank).stream().filter(domain::contains).forEach(mine::add);
 *   }
 *   particles.set(mine);
 * })
 * }</pre>
 */
public final class Divided {
  private final Holder<?> state;
  private final Untyped divide;

  /** Hides the type of what is held. */
  private interface Untyped {
    void run(Old<Object> old);
  }

  /**
   * What the ranks of another job had saved.
   *
   * @param <T> what the holder refers to
   */
  public interface Old<T> {
    /**
     * How many ranks that job had.
     *
     * @return 1 or more
     */
    int ranks();

    /**
     * What the holder of a rank referred to; read from a file at each call.
     *
     * @param rank from 0
     * @return a new object, the caller's own
     */
    T get(int rank);
  }

  /**
   * Divides state among another number of ranks.
   *
   * @param <T> what the holder refers to
   */
  @FunctionalInterface
  public interface Division<T> {
    /**
     * Makes the holder refer to this rank's part. Called when the loop begins, on each rank; it
     * does not communicate.
     *
     * @param old what was saved
     */
    void divide(Old<T> old);
  }

  private Divided(Holder<?> state, Untyped divide) {
    this.state = Objects.requireNonNull(state);
    this.divide = divide;
  }

  /**
   * State that the program divides.
   *
   * @param <T> what the holder refers to: an array, or a serializable object
   * @param state this rank's part
   * @param division what to do when a job goes on with another number of ranks
   * @return a new one
   */
  @SuppressWarnings("unchecked") // what is read is what a holder of T was written from
  public static <T> Divided of(Holder<T> state, Division<T> division) {
    Objects.requireNonNull(division);
    return new Divided(state, old -> division.divide((Old<T>) old));
  }

  /**
   * What is divided.
   *
   * @return what was given
   */
  public Holder<?> state() {
    return state;
  }

  /**
   * Has the program divide it; for FMI's use.
   *
   * @param old what was saved
   */
  public void divide(Old<Object> old) {
    divide.run(old);
  }
}
