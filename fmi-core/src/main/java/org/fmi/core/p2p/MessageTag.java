package org.fmi.core.p2p;

import org.fmi.Comm;
import org.fmi.Datatype.Predefined;

/**
 * The data path's form of a tag: the program's tag, the element type and an iteration, in 64 bits.
 * So the type and iteration, on which sender and receiver must agree, accompany the tag everywhere:
 * in frames, logs and checkpoints.
 *
 * <pre>
 *  63          36     32           0
 *  +-----------+------+-----------+
 *  | iteration | type |    tag    |
 *  +-----------+------+-----------+
 * </pre>
 *
 * {@code type} is the number of the {@link ElementType}. {@code iteration} is the iteration of the
 * {@code flowLoop} whose exchange sends or receives, counted from 1 and modulo 2^28 - 2, or 0
 * elsewhere. A plain tag of the program, as an {@code int}, has neither; nor has {@link
 * Comm#ANY_TAG}, all of whose bits are set.
 */
public final class MessageTag {
  private static final int TYPE_SHIFT = Integer.SIZE;
  private static final int ITERATION_SHIFT = TYPE_SHIFT + ElementType.BITS;
  private static final long TAG_MASK = (1L << TYPE_SHIFT) - 1;

  /** The iteration of a tag without one. */
  public static final long NO_ITERATION = -1;

  /** The number of distinct iteration numbers. */
  private static final long ITERATIONS = (1L << (Long.SIZE - ITERATION_SHIFT)) - 2;

  private MessageTag() {}

  /** The tag of a message, or of a receive, whose buffer has elements of this type. */
  public static long of(Predefined type, int tag) {
    return (long) ElementType.number(type) << TYPE_SHIFT | (tag & TAG_MASK);
  }

  /** The tag of a message, or of a receive, that is an object. */
  public static long ofObject(int tag) {
    return (long) ElementType.OBJECT << TYPE_SHIFT | (tag & TAG_MASK);
  }

  /** The tag within the exchange of an iteration of a {@code flowLoop}. */
  static long in(long iteration, long tag) {
    return tag | (1 + iteration % ITERATIONS) << ITERATION_SHIFT;
  }

  /** The program's tag. */
  public static int tag(long tag) {
    return (int) tag;
  }

  /** Whether a receive or probe accepts any tag. */
  static boolean isAny(long wanted) {
    return (int) wanted == Comm.ANY_TAG;
  }

  /** A receive's tag with its wildcard replaced by this tag. */
  static long narrow(long wanted, long tag) {
    return (wanted & ~TAG_MASK) | (tag & TAG_MASK);
  }

  /**
   * Whether the element type of a message matches its receive. An empty message matches any type.
   */
  static boolean isSameType(long message, long wanted, long bytes) {
    return bytes == 0 || ElementType.match(type(message), type(wanted));
  }

  /**
   * Whether a receive may have this message: the exchange of an iteration receives only messages
   * sent in it.
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
