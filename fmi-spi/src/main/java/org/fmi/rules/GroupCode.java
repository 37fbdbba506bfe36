package org.fmi.rules;

/** What the code of a checkpoint group can bring back, for whoever forms groups or computes it. */
public final class GroupCode {
  /** The most losses. */
  public static final int MOST_LOSSES = 3;

  private GroupCode() {}

  /** The most members of a group of which any so many are brought back. */
  public static int mostMembers(int losses) {
    return switch (losses) {
      case 0, 1 -> Integer.MAX_VALUE;
      case 2 -> 255;
      default -> 67;
    };
  }
}
