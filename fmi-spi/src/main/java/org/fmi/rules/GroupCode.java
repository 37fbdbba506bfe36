package org.fmi.rules;

/** The capabilities of a checkpoint group's code, for code that forms groups or computes parity. */
public final class GroupCode {
  /** The highest number of losses that a code tolerates. */
  public static final int MOST_LOSSES = 3;

  private GroupCode() {}

  /** The largest group in which any {@code losses} members can be rebuilt. */
  public static int mostMembers(int losses) {
    return switch (losses) {
      case 0, 1 -> Integer.MAX_VALUE;
      case 2 -> 255;
      default -> 67;
    };
  }
}
