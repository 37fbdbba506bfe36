package org.fmi.examples.samplesort;

/**
 * A seeded generator of keys whose only field is an array, so that it can be a loop's state: an
 * iteration that is repeated draws the same keys again. It is SplitMix64.
 */
final class Keys {
  private static final long STEP = 0x9e3779b97f4a7c15L;

  /** The place in the sequence. */
  final long[] state;

  Keys(long seed) {
    state = new long[] {mix(seed)};
  }

  /** The next key. */
  long next() {
    state[0] += STEP;
    return mix(state[0]);
  }

  /** A number that depends on all bits of another one. */
  static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
    return b ^ (b >>> 31);
  }
}
