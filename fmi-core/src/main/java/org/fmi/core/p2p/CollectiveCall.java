package org.fmi.core.p2p;

import org.fmi.Datatype;
import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/**
 * The signature of a collective call in 64 bits. It is the tag of all messages of the call, by
 * which a receiver checks that the sender is in the same call.
 *
 * <pre>
 *  63    59     55   51     34     33      9      0
 *  +------+------+----+------+------+-------+------+
 *  | name | type | op | root | long | bytes | turn |     0 where a call has none
 *  +------+------+----+------+------+-------+------+
 * </pre>
 *
 * {@code type}, {@code op} and {@code root} are counted from 1. {@code bytes} is the length on
 * which all ranks agree, plus 1, modulo 2^24; {@code long} marks a length that exceeds this field.
 * {@code turn} is the iteration of the call: see {@link Turns}. So no signature is 0 or -1.
 */
@SuppressWarnings("EnumOrdinal") // all ranks of a job run the same version
public final class CollectiveCall {
  /** The names of the calls, as a program writes them. */
  public enum Name {
    NONE("no collective"),
    BARRIER("barrier"),
    BCAST("bcast"),
    GATHER("gather"),
    GATHERV("gatherv"),
    SCATTER("scatter"),
    SCATTERV("scatterv"),
    ALL_GATHER("allGather"),
    ALL_GATHERV("allGatherv"),
    ALL_TO_ALL("allToAll"),
    ALL_TO_ALLV("allToAllv"),
    REDUCE("reduce"),
    ALL_REDUCE("allReduce"),
    REDUCE_SCATTER("reduceScatter"),
    SCAN("scan"),
    EX_SCAN("exScan"),
    DUP("dup"),
    SPLIT("split"),
    CREATE("create");

    private static final Name[] ALL = values();

    private final String text;

    Name(String text) {
      this.text = text;
    }
  }

  /** The value for a call without a root, or with a length that may differ between ranks. */
  public static final int NONE = -1;

  private static final int NAME_SHIFT = 59;
  private static final int TYPE_SHIFT = 55;
  private static final int OP_SHIFT = 51;
  private static final int ROOT_SHIFT = 34;
  private static final long NIBBLE = 0xF;
  private static final long ROOT_MASK = (1L << (OP_SHIFT - ROOT_SHIFT)) - 1;
  private static final int BYTES_SHIFT = 9;
  private static final long LONG_BYTES = 1L << (ROOT_SHIFT - BYTES_SHIFT - 1);
  private static final long BYTES_MASK = LONG_BYTES - 1;
  private static final long TURN_MASK = (1L << BYTES_SHIFT) - 1;
  private static final Op.Predefined[] OPS = Op.Predefined.values();

  /** Stands for every user-defined operation, as two of them cannot be compared. */
  private static final int USER_OP = OPS.length + 1;

  private CollectiveCall() {}

  /**
   * The signature of a call that moves data.
   *
   * @param type the type of the data; null if there is none, or if it may be any, as for 0 bytes
   * @param root the root or {@link #NONE}
   * @param bytes the length or {@link #NONE}
   */
  public static long of(Name name, Datatype.@Nullable Predefined type, int root, long bytes) {
    return ((long) name.ordinal() << NAME_SHIFT)
        | ((bytes == 0 ? ElementType.NONE : (long) ElementType.number(type)) << TYPE_SHIFT)
        | (((root + 1L) & ROOT_MASK) << ROOT_SHIFT)
        | (bytes < BYTES_MASK ? bytes + 1 : LONG_BYTES | ((bytes + 1) & BYTES_MASK)) << BYTES_SHIFT;
  }

  /** The signature of a call that reduces. */
  public static long of(Name name, Datatype.Predefined type, Op op, int root, long bytes) {
    long number = op instanceof Op.Predefined p ? p.ordinal() + 1L : USER_OP;
    return of(name, type, root, bytes) | (number << OP_SHIFT);
  }

  /** The same call in an iteration. */
  public static long in(int turn, long call) {
    return call | turn;
  }

  /**
   * Whether two signatures are of the same call, in any iterations. Data that are only moved may be
   * bytes at some ranks.
   */
  public static boolean isSame(long one, long other) {
    return ((one ^ other) & ~TURN_MASK) == 0 || isSameButForType(one, other);
  }

  /** Whether two ranks in the same call may be in their respective iterations. */
  public static boolean isSameTurn(long one, long other) {
    return Turns.match(turn(one), turn(other));
  }

  /** Whether a rank may send less in this call than its receiver has room for. */
  public static boolean mayBeShorter(long call) {
    return switch (Name.ALL[(int) (call >>> NAME_SHIFT)]) {
      case GATHERV, SCATTERV, ALL_GATHERV, ALL_TO_ALLV -> true;
      default -> false;
    };
  }

  public static int turn(long call) {
    return (int) (call & TURN_MASK);
  }

  private static boolean isSameButForType(long one, long other) {
    return ((one ^ other) & ~(NIBBLE << TYPE_SHIFT | TURN_MASK)) == 0
        && part(one, OP_SHIFT) == 0
        && ElementType.match(part(one, TYPE_SHIFT), part(other, TYPE_SHIFT));
  }

  private static int part(long call, int shift) {
    return (int) ((call >>> shift) & NIBBLE);
  }

  /** The call in readable form, such as "reduce(double[8], SUM, root 0)". */
  public static String text(long call) {
    StringBuilder text = new StringBuilder(Name.ALL[(int) (call >>> NAME_SHIFT)].text).append('(');
    String comma = "";
    int type = part(call, TYPE_SHIFT);
    if (type > 0) {
      long bytes = (call >>> BYTES_SHIFT) & BYTES_MASK;
      boolean isLong = (call >>> BYTES_SHIFT & LONG_BYTES) != 0;
      text.append(
          isLong
              ? ElementType.name(type) + "[] of 16 MiB or more"
              : bytes == 0 ? ElementType.name(type) + "[]" : ElementType.text(type, bytes - 1));
      comma = ", ";
    }
    int op = part(call, OP_SHIFT);
    if (op > 0) {
      text.append(comma).append(op == USER_OP ? "an Op of the program" : OPS[op - 1].name());
      comma = ", ";
    }
    long root = (call >>> ROOT_SHIFT) & ROOT_MASK;
    if (root > 0) {
      text.append(comma).append("root ").append(root - 1);
    }
    return text.append(')').toString();
  }

  /** The call or tag that messages of this context belong to: "in bcast(...)", or "with tag 3". */
  public static String belonging(int context, long tag) {
    return Contexts.isCollective(context) ? "in " + text(tag) : "with tag " + MessageTag.tag(tag);
  }
}
