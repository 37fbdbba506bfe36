package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code double} elements; loops that the compiler can vectorise. */
final class DoubleKernels {
  private DoubleKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<double[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> DoubleKernels::max;
      case MIN -> DoubleKernels::min;
      case SUM -> DoubleKernels::sum;
      case PROD -> DoubleKernels::prod;
      case MAXLOC -> DoubleKernels::maxLoc;
      case MINLOC -> DoubleKernels::minLoc;
      case LAND, LOR, LXOR, BAND, BOR, BXOR -> null;
    };
  }

  private static void max(double[] in, double[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.max(in[k], inOut[k]);
    }
  }

  private static void min(double[] in, double[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(double[] in, double[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] + inOut[k];
    }
  }

  private static void prod(double[] in, double[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] * inOut[k];
    }
  }

  private static void maxLoc(double[] in, double[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      double a = in[k];
      double b = inOut[k];
      boolean equal = a == b || (Double.isNaN(a) && Double.isNaN(b));
      // As in max, a value that is not a number wins.
      if (equal ? isFirst(in, inOut, k) : a > b || Double.isNaN(a)) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(double[] in, double[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      double a = in[k];
      double b = inOut[k];
      boolean equal = a == b || (Double.isNaN(a) && Double.isNaN(b));
      // As in min, a value that is not a number wins.
      if (equal ? isFirst(in, inOut, k) : a < b || Double.isNaN(a)) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  /**
   * Of two pairs with equal values, that of the lower index; if that is the same too, one chosen by
   * its bits (0.0 and -0.0 are equal): the order in which ranks are combined does not matter.
   */
  private static boolean isFirst(double[] in, double[] inOut, int k) {
    return in[k + 1] == inOut[k + 1]
        ? Double.doubleToRawLongBits(in[k]) > Double.doubleToRawLongBits(inOut[k])
        : in[k + 1] < inOut[k + 1];
  }
}
