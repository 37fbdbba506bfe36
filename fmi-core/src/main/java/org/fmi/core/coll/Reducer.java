package org.fmi.core.coll;

import org.fmi.Datatype;
import org.fmi.Datatype.Predefined;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.p2p.CollectiveCall;
import org.jspecify.annotations.Nullable;

/** Applies one operation to elements of one type, in arrays of that type. */
public final class Reducer {
  private final Predefined type;
  private final Op op;
  private final Kernel<Object> kernel;
  private final int group;

  private Reducer(Predefined type, Op op, Kernel<Object> kernel, int group) {
    this.type = type;
    this.op = op;
    this.kernel = kernel;
    this.group = group;
  }

  /**
   * The reducer of an operation and a type.
   *
   * @throws FmiException {@link ErrorClass#OP} if the operation is not defined for the type
   */
  public static Reducer of(Op op, Datatype type) {
    return switch (type) {
      case Predefined p -> of(op, p);
    };
  }

  private static Reducer of(Op op, Predefined type) {
    return switch (op) {
      case Op.Predefined p -> {
        Kernel<Object> kernel = kernel(p, type);
        if (kernel == null) {
          throw new FmiException(
              ErrorClass.OP,
              p
                  + " is not defined for "
                  + type
                  + ": "
                  + (type == Predefined.BOOLEAN
                      ? "use LAND, LOR or LXOR"
                      : "use MAX, MIN, SUM, PROD, MAXLOC or MINLOC")
                  + ", or an operation of your own (Op.of)");
        }
        boolean pairs = p == Op.Predefined.MAXLOC || p == Op.Predefined.MINLOC;
        yield new Reducer(type, op, kernel, pairs ? 2 : 1);
      }
      case Op.UserDefined u -> new Reducer(type, op, userKernel(u, type), 1);
      case Op.OfDouble d -> {
        requireType(Predefined.DOUBLE, "Op.ofDouble", type);
        yield new Reducer(type, op, ofArrays(DoubleKernels.of(d.operator())), 1);
      }
      case Op.OfLong l -> {
        requireType(Predefined.LONG, "Op.ofLong", type);
        yield new Reducer(type, op, ofArrays(LongKernels.of(l.operator())), 1);
      }
      case Op.OfInt i -> {
        requireType(Predefined.INT, "Op.ofInt", type);
        yield new Reducer(type, op, ofArrays(IntKernels.of(i.operator())), 1);
      }
    };
  }

  private static void requireType(Predefined own, String maker, Predefined type) {
    if (type != own) {
      throw new FmiException(
          ErrorClass.OP,
          "an operation of "
              + maker
              + " combines "
              + own
              + " elements, not "
              + type
              + ": use an operation for "
              + type
              + " (Op.of is for all types)");
    }
  }

  /** The type of the elements. */
  public Predefined type() {
    return type;
  }

  /** The signature of a call that uses this reducer. */
  public long call(CollectiveCall.Name name, int root, long count) {
    return CollectiveCall.of(name, type, op, root, count * type.bytes());
  }

  /** The number of elements that belong together: 2 for pairs of value and index, else 1. */
  public int group() {
    return group;
  }

  boolean commutative() {
    return op.commutative();
  }

  /**
   * Whether a vector may be cut and its parts reduced independently, in an order that collectives
   * choose. {@link Op.UserDefined} gets the whole vector, so that it may treat several elements as
   * one value, such as a matrix.
   */
  boolean divisible() {
    return op.commutative() && !(op instanceof Op.UserDefined);
  }

  /** Whether the result does not depend on the order and grouping of operands. */
  boolean exact() {
    return op instanceof Op.Predefined && type != Predefined.FLOAT && type != Predefined.DOUBLE;
  }

  /** Whether the parts of two operands can be combined in place, by the kernel alone. */
  @SuppressWarnings("ReferenceEquality") // the same array is meant, not an equal one
  boolean direct(Location left, Location right) {
    return divisible()
        && left.at() == right.at()
        && left.base() != right.base()
        && left.isArrayOf(type)
        && right.isArrayOf(type);
  }

  /** The size of the smallest part that can be reduced by itself, in bytes. */
  long unitBytes() {
    return (long) group * type.bytes();
  }

  /** A new array of the type. */
  Location scratch(long bytes) {
    return Location.ofType(type, bytes);
  }

  /** A new array of the type with a copy of {@code source}. */
  Location copyOf(Location source, long bytes) {
    Location copy = scratch(bytes);
    source.copyTo(copy, bytes);
    return copy;
  }

  /**
   * Computes {@code right = left op right} for {@code bytes} bytes of arrays of the type, which
   * have the same offset unless the operation is user-defined. {@link Scratch#combine} serves all
   * other operands.
   */
  void combine(Location left, Location right, long bytes) {
    int element = type.bytes();
    int count = (int) (bytes / element);
    if (count == 0) {
      return;
    }
    boolean aligned = left.at() == right.at();
    if (aligned && (left.at() == 0 || divisible())) {
      int from = (int) (left.at() / element);
      kernel.apply(left.base(), right.base(), from, from + count);
      return;
    }
    assert !divisible() : "kernels need operands at the same index";
    // An operation that is not divisible gets the whole vector, at index 0.
    Location in = copyOf(left, bytes);
    Location inOut = copyOf(right, bytes);
    kernel.apply(in.base(), inOut.base(), 0, count);
    inOut.copyTo(right, bytes);
  }

  /** Kernels get arrays of their own type only, as {@link #combine} requires. */
  @SuppressWarnings("unchecked")
  private static @Nullable Kernel<Object> kernel(Op.Predefined op, Predefined type) {
    @Nullable Kernel<?> kernel =
        switch (type) {
          case BYTE -> ByteKernels.of(op);
          case BOOLEAN -> BooleanKernels.of(op);
          case CHAR -> CharKernels.of(op);
          case SHORT -> ShortKernels.of(op);
          case INT -> IntKernels.of(op);
          case LONG -> LongKernels.of(op);
          case FLOAT -> FloatKernels.of(op);
          case DOUBLE -> DoubleKernels.of(op);
        };
    return (Kernel<Object>) kernel;
  }

  @SuppressWarnings("unchecked") // it gets arrays of the type that was required
  private static Kernel<Object> ofArrays(Kernel<?> kernel) {
    return (Kernel<Object>) kernel;
  }

  /** A kernel that calls the operation with whole vectors from index 0. */
  private static Kernel<Object> userKernel(Op.UserDefined op, Predefined type) {
    return (in, inOut, from, to) -> op.function().apply(in, inOut, to, type);
  }
}
