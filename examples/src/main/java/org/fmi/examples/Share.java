package org.fmi.examples;

/**
 * One of several consecutive parts of {@code 0..n-1} whose sizes differ by one at most.
 *
 * @param first the first index in it
 * @param count how many indices are in it
 */
public record Share(int first, int count) {

  /** Part number {@code part} of {@code parts}; the first ones are the longer ones. */
  public static Share of(int n, int parts, int part) {
    int shortest = n / parts;
    int longer = n % parts;
    return new Share(part * shortest + Math.min(part, longer), shortest + (part < longer ? 1 : 0));
  }

  /** The number of the part that an index is in. */
  public static int partOf(int n, int parts, int index) {
    int shortest = n / parts;
    int longer = n % parts;
    int inLonger = longer * (shortest + 1);
    return index < inLonger ? index / (shortest + 1) : longer + (index - inLonger) / shortest;
  }

  /** Whether an index is in it. */
  public boolean contains(int index) {
    return first <= index && index < first + count;
  }
}
