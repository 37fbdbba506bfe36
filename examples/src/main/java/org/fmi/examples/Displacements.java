package org.fmi.examples;

/**
 * Places of consecutive blocks in an array.
 *
 * @param at the first index of each block
 * @param total the length of all blocks
 */
public record Displacements(long[] at, int total) {

  /** Returns the places of blocks of these lengths. */
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
