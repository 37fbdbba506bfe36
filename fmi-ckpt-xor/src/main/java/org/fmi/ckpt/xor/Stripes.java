package org.fmi.ckpt.xor;

import org.fmi.rules.GroupCode;

/**
 * The distribution of chunks in a group: the chunks of all members form as many stripes as there
 * are members, and each member holds one chunk of each stripe.
 *
 * <pre>
 *   place 0 ... losses-1           sums of the stripe's data
 *   place losses ... members-1     data: chunks of images
 *
 *   member that holds place x of stripe p:   (p + x) mod members
 * </pre>
 *
 * So the loss of a member costs each stripe one chunk, and the sums can rebuild {@code losses} of
 * them. A member's image has members-losses chunks, one per data place. All statements about chunks
 * hold for each of their blocks.
 *
 * @param members the size of the group
 * @param losses the number of sums per stripe, and of lost members that they can rebuild
 */
record Stripes(int members, int losses) {
  Stripes {
    if (losses < 0 || losses > GroupCode.MOST_LOSSES || losses >= members) {
      throw new IllegalArgumentException(members + " members, " + losses + " losses");
    }
  }

  /** The number of data chunks per stripe. */
  int data() {
    return members - losses;
  }

  boolean isSum(int place) {
    return place < losses;
  }

  int member(int stripe, int place) {
    return (stripe + place) % members;
  }

  /** The stripe in which a member holds this place. */
  int stripe(int member, int place) {
    return Math.floorMod(member - place, members);
  }

  /** The place that a member holds in a stripe. */
  int place(int stripe, int member) {
    return Math.floorMod(member - stripe, members);
  }

  /** The chunk of a member's piece that holds a place. */
  int chunk(int place) {
    return isSum(place) ? data() + place : place - losses;
  }
}
