package org.fmi.examples;

/**
 * Where blocks stand that follow one another in an array.
 *
 * @param at where each begins
 * @param total the length of all of them
 */
public record Displacements(long[] at, int total) {

  /** Those of blocks of these lengths. */
  public static Displacements of(long[] counts) {
    long[] at = new long[counts.length];
    long next = 0;
    for (int i = 0; i < counts.length; i++) {
      at[i] = next;
      next += counts[i];
    }
    return new Displacements(at, Math.toIntExact(next));
  }
}
