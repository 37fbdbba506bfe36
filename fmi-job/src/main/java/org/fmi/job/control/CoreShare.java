package org.fmi.job.control;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The part of a machine's cores that one rank gets, and how it is bound to it.
 *
 * <p>A core is given by the numbers of its hardware threads. Each rank gets as many whole cores as
 * all others. With more ranks than cores each gets one hardware thread: first one of each core,
 * then the second ones. With more ranks than hardware threads nobody gets any.
 *
 * @param bound what is bound
 * @param numbers of the hardware threads to which it is bound, ascending
 */
public record CoreShare(Bound bound, int[] numbers) {
  /** What of a rank is bound. */
  public enum Bound {
    /** Nothing: it runs on all cores of the job. */
    NOTHING,
    /**
     * The thread that calls {@code Fmi.init}, which has this core to itself. The JVM's own threads
     * would take time from it: they run on all cores of the job.
     */
    THREAD,
    /** The whole process: the program's threads are to have all these cores. */
    PROCESS
  }

  /** Nothing is bound. */
  public static final CoreShare NONE = new CoreShare(Bound.NOTHING, new int[0]);

  /**
   * The share of one rank.
   *
   * @param cores the hardware threads of each core, those that may be used
   * @param rank which of the ranks on these cores, from 0
   * @param ranks how many there are
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

  /** The numbers if this is what is bound, else none. */
  public int[] of(Bound what) {
    return bound == what ? numbers : new int[0];
  }

  /** How many hardware threads there are. */
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
