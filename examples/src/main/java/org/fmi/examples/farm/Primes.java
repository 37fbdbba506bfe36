package org.fmi.examples.farm;

import java.io.Serializable;

/**
 * Finds primes among consecutive numbers.
 *
 * @param count number of primes
 * @param reciprocals the sum of 1/p over them, added in ascending order
 */
record Primes(long count, double reciprocals) implements Serializable {

  /**
   * Returns the primes from {@code first} on, by trial division, which takes longer for larger
   * numbers.
   */
  static Primes byDivision(long first, int width) {
    long count = 0;
    double reciprocals = 0;
    for (long n = first; n < first + width; n++) {
      if (isPrime(n)) {
        count++;
        reciprocals += 1.0 / n;
      }
    }
    return new Primes(count, reciprocals);
  }

  private static boolean isPrime(long n) {
    for (long d = 2; d * d <= n; d++) {
      if (n % d == 0) {
        return false;
      }
    }
    return n > 1;
  }

  /**
   * Returns the primes below {@code tasks * width}, by a sieve; adds the sums of tasks one by one.
   */
  static Primes bySieve(int tasks, int width) {
    boolean[] composite = new boolean[tasks * width];
    Primes all = new Primes(0, 0);
    for (int task = 0; task < tasks; task++) {
      long count = 0;
      double reciprocals = 0;
      for (int n = Math.max(2, task * width); n < (task + 1) * width; n++) {
        if (!composite[n]) {
          count++;
          reciprocals += 1.0 / n;
          for (long multiple = (long) n * n; multiple < composite.length; multiple += n) {
            composite[(int) multiple] = true;
          }
        }
      }
      all = new Primes(all.count + count, all.reciprocals + reciprocals);
    }
    return all;
  }
}
