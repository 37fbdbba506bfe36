package org.fmi.jobsim;

import java.util.Arrays;

/**
 * State of which little changes: a part that never does, and one that seldom does, in one place.
 * Checkpoints have both in blocks that need not be coded again.
 */
final class RestingState {
  /** Length of a chunk: several blocks. */
  private static final int CONSTANTS = 4_000;

  private static final int RARE = 2_000;

  private static final int SELDOM = 4;

  final long[] constant = new long[CONSTANTS];
  final long[] rare = new long[RARE];
  private final int rank;

  RestingState(int rank) {
    this.rank = rank;
    Arrays.setAll(constant, this::value);
  }

  private long value(int i) {
    return 1_000L * rank + i;
  }

  /** Computes an iteration's change; returns the value that the program continues with. */
  long turn(long iteration) {
    for (int i = 0; i < CONSTANTS; i++) {
      if (constant[i] != value(i)) {
        throw new AssertionError("what never changes has become " + constant[i] + " at " + i);
      }
    }
    if (iteration % SELDOM == SELDOM - 1) {
      rare[(int) (iteration * 37 % RARE)] += iteration + rank;
    }
    return Arrays.stream(rare).sum();
  }
}
