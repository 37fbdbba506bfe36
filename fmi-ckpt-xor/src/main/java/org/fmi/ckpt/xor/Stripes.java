package org.fmi.ckpt.xor;

import org.fmi.rules.GroupCode;

/**
 * Which member of a group holds what: the chunks of all members are dealt out to as many stripes as
 * there are members, and each member holds one chunk of each stripe.
 *
 * <pre>
 *   place 0 ... losses-1           sums of the stripe's data
 *   place losses ... members-1     data: chunks of images
 *
 *   member that holds place x of stripe p:   (p + x) mod members
 * </pre>
 *
 * So the loss of any members costs each stripe as many chunks, of which the sums bring back {@code
 * losses}. A member's image has members-losses chunks, one for each place of data; what is said
 * here of chunks holds for each of their blocks.
 *
 * @param members size of the group
 * @param losses sums of a stripe: how many lost members they bring back
 */
record Stripes(int members, int losses) {
  Stripes {
    if (losses < 0 || losses > GroupCode.MOST_LOSSES || losses >= members) {
      throw new IllegalArgumentException(members + " members, " + losses + " losses");
    }
  }

  /** Data chunks of a stripe. */
  int data() {
    return members - losses;
  }

  boolean isSum(int place) {
    return place < losses;
  }

  int member(int stripe, int place) {
    return (stripe + place) % members;
  }

  /** The stripe of which a member holds this place. */
  int stripe(int member, int place) {
    return Math.floorMod(member - place, members);
  }

  /** The place that a member holds of a stripe. */
  int place(int stripe, int member) {
    return Math.floorMod(member - stripe, members);
  }

  /** The chunk of its piece in which a member holds a place. */
  int chunk(int place) {
    return isSum(place) ? data() + place : place - losses;
  }
}
