package org.fmi.job.daemon;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Numbers the ranks of a node from 0: those that are there at a time have different numbers, and a
 * rank that comes back gets the one that it had, unless another has it by now.
 */
final class LocalRanks {
  private final Map<Integer, Integer> numbers = new HashMap<>();

  /**
   * The number of a rank that is about to be there.
   *
   * @param there those that are there already
   */
  int choose(int rank, Set<Integer> there) {
    Set<Integer> taken = new HashSet<>();
    for (int other : there) {
      Integer number = numbers.get(other);
      if (other != rank && number != null) {
        taken.add(number);
      }
    }
    Integer before = numbers.get(rank);
    int number = before == null ? 0 : before;
    if (before == null || taken.contains(before)) {
      number = 0;
      while (taken.contains(number)) {
        number++;
      }
    }
    numbers.put(rank, number);
    return number;
  }
}
