package org.fmi.job.control;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Numbers of cores in Linux notation, as in {@code 0-3,8,10-11}. */
public final class CoreList {
  private CoreList() {}

  /**
   * Parses a list to ascending numbers; none if it is empty.
   *
   * @throws IllegalArgumentException if it is no list of cores
   */
  public static int[] parse(String list) {
    if (list.isEmpty()) {
      return new int[0];
    }
    return Arrays.stream(list.split(",", -1))
        .flatMapToInt(CoreList::parseRange)
        .sorted()
        .distinct()
        .toArray();
  }

  private static IntStream parseRange(String range) {
    String[] ends = range.split("-", -1);
    int first = Integer.parseInt(ends[0]);
    int last = Integer.parseInt(ends[ends.length - 1]);
    if (ends.length > 2 || first > last) {
      throw new IllegalArgumentException("no range of cores: " + range);
    }
    return IntStream.rangeClosed(first, last);
  }

  /**
   * Returns the shortest list of these numbers.
   *
   * @param cores ascending
   */
  public static String format(int[] cores) {
    StringBuilder list = new StringBuilder();
    int first = 0;
    while (first < cores.length) {
      int next = first + 1;
      while (next < cores.length && cores[next] == cores[next - 1] + 1) {
        next++;
      }
      list.append(first == 0 ? "" : ",").append(cores[first]);
      if (next - first > 1) {
        list.append('-').append(cores[next - 1]);
      }
      first = next;
    }
    return list.toString();
  }
}
