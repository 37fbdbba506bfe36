package org.fmi.core.p2p;

import org.fmi.Comm;
import org.fmi.Datatype.Predefined;

/**
 * A tag as the data path has it: the program's, and what its sender and its receiver must give
 * alike besides, in 64 bits. So both are wherever the tag is: in frames, in logs, and in
 * checkpoints.
 *
 * <pre>
 *  63          36     32           0
 *  +-----------+------+-----------+
 *  | iteration | type |    tag    |
 *  +-----------+------+-----------+
 * </pre>
 *
 * {@code type} is that of the elements, as {@link ElementType} numbers it; {@code iteration} that
 * of the {@code flowLoop} whose exchange sends or receives, counted from 1 and modulo 2^28 - 2, or
 * 0 elsewhere. A tag of the program alone, as an {@code int}, says nothing of both; neither does
 * {@link Comm#ANY_TAG}, all of whose bits are set.
 */
public final class MessageTag {
  private static final int TYPE_SHIFT = Integer.SIZE;
  private static final int ITERATION_SHIFT = TYPE_SHIFT + ElementType.BITS;
  private static final long TAG_MASK = (1L << TYPE_SHIFT) - 1;

  /** Of a tag that says nothing of an iteration. */
  public static final long NO_ITERATION = -1;

  /** How many iterations have numbers of their own. */
  private static final long ITERATIONS = (1L << (Long.SIZE - ITERATION_SHIFT)) - 2;

  private MessageTag() {}

  /** The tag of a message, or of a receive, whose buffer has elements of this type. */
  public static long of(Predefined type, int tag) {
    return (long) ElementType.number(type) << TYPE_SHIFT | (tag & TAG_MASK);
  }

  /** The same in the exchange of an iteration of a {@code flowLoop}. */
  static long in(long iteration, long tag) {
    return tag | (1 + iteration % ITERATIONS) << ITERATION_SHIFT;
  }

  /** The program's tag. */
  public static int tag(long tag) {
    return (int) tag;
  }

  /** Whether a receive or probe wants any tag. */
  static boolean isAny(long wanted) {
    return (int) wanted == Comm.ANY_TAG;
  }

  /** What a receive says that wants this tag from now on, where it has left it open. */
  static long narrow(long wanted, long tag) {
    return (wanted & ~TAG_MASK) | (tag & TAG_MASK);
  }

  /**
   * Whether the elements of a message are those that its receive is for. One without data fits any.
   */
  static boolean isSameType(long message, long wanted, long bytes) {
    return bytes == 0 || ElementType.match(type(message), type(wanted));
  }

  /**
   * Whether a receive may have this message: what the exchange of an iteration receives was sent in
   * that iteration.
   */
  static boolean isSameIteration(long message, long wanted) {
    long inIteration = iteration(wanted);
    return inIteration == NO_ITERATION || inIteration == iteration(message);
  }

  /** The iteration of a {@code flowLoop}; {@link #NO_ITERATION} elsewhere. */
  public static long iteration(long tag) {
    long number = tag >>> ITERATION_SHIFT;
    return number > ITERATIONS ? NO_ITERATION : number - 1;
  }

  /** The size of an element. */
  public static int elementBytes(long tag) {
    return ElementType.bytes(type(tag));
  }

  /** The number of the elements' type. */
  static int type(long tag) {
    return (int) (tag >>> TYPE_SHIFT) & ElementType.MASK;
  }
}
