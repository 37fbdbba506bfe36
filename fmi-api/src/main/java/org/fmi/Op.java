package org.fmi;

import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * A reduction operation (MPI_Op, MPI 4 §6.9): predefined, or the program's own.
 *
 * <p>For a given number of ranks and input, a reduction always combines in the same order: its
 * result has the same bits in each run, and after a recovery. An operation that is not commutative
 * is applied in rank order.
 */
public sealed interface Op {
  /** Maximum. */
  Op MAX = Predefined.MAX;

  /** Minimum. */
  Op MIN = Predefined.MIN;

  /** Sum. */
  Op SUM = Predefined.SUM;

  /** Product. */
  Op PROD = Predefined.PROD;

  /** Logical and, of {@code boolean} elements or of integers (non-zero is true). */
  Op LAND = Predefined.LAND;

  /** Logical or, of {@code boolean} elements or of integers (non-zero is true). */
  Op LOR = Predefined.LOR;

  /** Logical exclusive or, of {@code boolean} elements or of integers (non-zero is true). */
  Op LXOR = Predefined.LXOR;

  /** Bitwise and, of integers. */
  Op BAND = Predefined.BAND;

  /** Bitwise or, of integers. */
  Op BOR = Predefined.BOR;

  /** Bitwise exclusive or, of integers. */
  Op BXOR = Predefined.BXOR;

  /**
   * Maximum and its location: pairs (value, index), two elements each (MPI_MAXLOC). Of two equal
   * values the lower index wins.
   */
  Op MAXLOC = Predefined.MAXLOC;

  /**
   * Minimum and its location: pairs (value, index), two elements each (MPI_MINLOC). Of two equal
   * values the lower index wins.
   */
  Op MINLOC = Predefined.MINLOC;

  /**
   * Whether {@code a op b == b op a}, which lets a collective choose the order.
   *
   * @return whether operands may change places
   */
  boolean commutative();

  /**
   * An operation of the program's own (MPI_Op_create); it must be associative.
   *
   * @param function combines two operands
   * @param commutative see {@link #commutative()}
   * @return the operation
   */
  static Op of(Function function, boolean commutative) {
    return new UserDefined(function, commutative);
  }

  /**
   * An operation of the program's own on {@code double} elements, one by one; it must be
   * associative. Elements of another type are refused: {@link ErrorClass#OP}.
   *
   * @param operator combines two elements: the left one is of the lower rank
   * @param commutative see {@link #commutative()}
   * @return the operation
   */
  static Op ofDouble(DoubleBinaryOperator operator, boolean commutative) {
    return new OfDouble(operator, commutative);
  }

  /**
   * An operation of the program's own on {@code long} elements, as {@link #ofDouble}.
   *
   * @param operator combines two elements: the left one is of the lower rank
   * @param commutative see {@link #commutative()}
   * @return the operation
   */
  static Op ofLong(LongBinaryOperator operator, boolean commutative) {
    return new OfLong(operator, commutative);
  }

  /**
   * An operation of the program's own on {@code int} elements, as {@link #ofDouble}.
   *
   * @param operator combines two elements: the left one is of the lower rank
   * @param commutative see {@link #commutative()}
   * @return the operation
   */
  static Op ofInt(IntBinaryOperator operator, boolean commutative) {
    return new OfInt(operator, commutative);
  }

  /** The predefined operations. */
  enum Predefined implements Op {
    /** See {@link Op#MAX}. */
    MAX,
    /** See {@link Op#MIN}. */
    MIN,
    /** See {@link Op#SUM}. */
    SUM,
    /** See {@link Op#PROD}. */
    PROD,
    /** See {@link Op#LAND}. */
    LAND,
    /** See {@link Op#LOR}. */
    LOR,
    /** See {@link Op#LXOR}. */
    LXOR,
    /** See {@link Op#BAND}. */
    BAND,
    /** See {@link Op#BOR}. */
    BOR,
    /** See {@link Op#BXOR}. */
    BXOR,
    /** See {@link Op#MAXLOC}. */
    MAXLOC,
    /** See {@link Op#MINLOC}. */
    MINLOC;

    @Override
    public boolean commutative() {
      return true;
    }
  }

  /**
   * An operation of the program's own.
   *
   * @param function combines two operands
   * @param commutative see {@link Op#commutative()}
   */
  record UserDefined(Function function, boolean commutative) implements Op {}

  /**
   * An operation of the program's own on {@code double} elements.
   *
   * @param operator combines two elements
   * @param commutative see {@link Op#commutative()}
   */
  record OfDouble(DoubleBinaryOperator operator, boolean commutative) implements Op {
    /** Refuses null. */
    public OfDouble {
      Objects.requireNonNull(operator);
    }
  }

  /**
   * An operation of the program's own on {@code long} elements.
   *
   * @param operator combines two elements
   * @param commutative see {@link Op#commutative()}
   */
  record OfLong(LongBinaryOperator operator, boolean commutative) implements Op {
    /** Refuses null. */
    public OfLong {
      Objects.requireNonNull(operator);
    }
  }

  /**
   * An operation of the program's own on {@code int} elements.
   *
   * @param operator combines two elements
   * @param commutative see {@link Op#commutative()}
   */
  record OfInt(IntBinaryOperator operator, boolean commutative) implements Op {
    /** Refuses null. */
    public OfInt {
      Objects.requireNonNull(operator);
    }
  }

  /**
   * Combines elements one by one: {@code inOut[i] = in[i] op inOut[i]}, as MPI_User_function.
   *
   * <p>What it throws ends the collective at this rank, whose communicator then refuses further
   * collectives (see {@link FmiException}); other ranks may wait for this one for nothing.
   */
  @FunctionalInterface
  interface Function {
    /**
     * Combines {@code count} elements of {@code type}.
     *
     * @param in the left operands: an array of the type, from index 0
     * @param inOut the right operands, replaced by the results: an array of the same type, from
     *     index 0
     * @param count how many elements
     * @param type the type of the elements
     */
    void apply(Object in, Object inOut, int count, Datatype type);
  }
}
