package org.fmi.job.daemon;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Numbers the ranks of a node from 0. Ranks on the node at the same time have different numbers,
 * and a returning rank gets its previous number unless that is taken.
 */
final class LocalRanks {
  private final Map<Integer, Integer> numbers = new HashMap<>();

  /**
   * Returns the number of a new rank.
   *
   * @param there the ranks that are already on the node
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
