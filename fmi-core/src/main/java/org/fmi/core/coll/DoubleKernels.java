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

  private static void max(double[] in, int i, double[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = Math.max(in[i + k], inOut[j + k]);
    }
  }

  private static void min(double[] in, int i, double[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = Math.min(in[i + k], inOut[j + k]);
    }
  }

  private static void sum(double[] in, int i, double[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] + inOut[j + k];
    }
  }

  private static void prod(double[] in, int i, double[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] * inOut[j + k];
    }
  }

  private static void maxLoc(double[] in, int i, double[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      double a = in[i + k];
      double b = inOut[j + k];
      boolean equal = a == b || (Double.isNaN(a) && Double.isNaN(b));
      // As in max, a value that is not a number wins.
      if (equal ? in[i + k + 1] < inOut[j + k + 1] : a > b || Double.isNaN(a)) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }

  private static void minLoc(double[] in, int i, double[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      double a = in[i + k];
      double b = inOut[j + k];
      boolean equal = a == b || (Double.isNaN(a) && Double.isNaN(b));
      // As in min, a value that is not a number wins.
      if (equal ? in[i + k + 1] < inOut[j + k + 1] : a < b || Double.isNaN(a)) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }
}
