package org.fmi.job.control;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The share of a machine's cores that one rank gets, and how the rank is bound to it.
 *
 * <p>A core is given by the numbers of its hardware threads. Each rank gets the same number of
 * whole cores. With more ranks than cores, each rank gets one hardware thread: first one of each
 * core, then the second ones. With more ranks than hardware threads, no rank gets any.
 *
 * @param bound the part of the rank that is bound
 * @param numbers hardware threads to which it is bound, ascending
 */
public record CoreShare(Bound bound, int[] numbers) {
  /** The part of a rank that is bound. */
  public enum Bound {
    /** Nothing: the rank runs on all cores of the job. */
    NOTHING,
    /**
     * The thread that calls {@code Fmi.init}, on a dedicated core. The JVM's own threads, which
     * would take time from it, run on all cores of the job.
     */
    THREAD,
    /** The whole process: the program's threads share all these cores. */
    PROCESS
  }

  /** Nothing is bound. */
  public static final CoreShare NONE = new CoreShare(Bound.NOTHING, new int[0]);

  /**
   * Returns the share of one rank.
   *
   * @param cores the hardware threads of each usable core
   * @param rank number among the ranks on these cores, from 0
   * @param ranks the number of these ranks
   */
  public static CoreShare of(List<int[]> cores, int rank, int ranks) {
    if (rank < 0 || rank >= ranks) {
      throw new IllegalArgumentException(rank + " is none of " + ranks + " ranks");
    }
    int share = cores.size() / ranks;
    if (share > 0) {
      int[] numbers =
          cores.subList(rank * share, (rank + 1) * share).stream()
              .flatMapToInt(Arrays::stream)
              .sorted()
              .toArray();
      return new CoreShare(share == 1 ? Bound.THREAD : Bound.PROCESS, numbers);
    }
    int[] threads = firstOfEachCoreFirst(cores);
    return ranks <= threads.length ? new CoreShare(Bound.THREAD, new int[] {threads[rank]}) : NONE;
  }

  /** Returns the numbers if this part is bound, otherwise none. */
  public int[] of(Bound what) {
    return bound == what ? numbers : new int[0];
  }

  /** Returns the number of hardware threads. */
  public static int threads(List<int[]> cores) {
    return cores.stream().mapToInt(threads -> threads.length).sum();
  }

  private static int[] firstOfEachCoreFirst(List<int[]> cores) {
    record HardwareThread(int number, int ofItsCore) {}
    return cores.stream()
        .flatMap(
            core -> IntStream.range(0, core.length).mapToObj(i -> new HardwareThread(core[i], i)))
        .sorted(Comparator.comparingInt(HardwareThread::ofItsCore)) // stable
        .mapToInt(HardwareThread::number)
        .toArray();
  }
}
