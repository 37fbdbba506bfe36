package org.fmi.core.coll;

import org.fmi.Op;
import org.jspecify.annotations.Nullable;

/** The predefined operations on {@code float} elements; loops that the compiler can vectorise. */
final class FloatKernels {
  private FloatKernels() {}

  /** The loop of an operation, null if it has no meaning for this type. */
  static @Nullable Kernel<float[]> of(Op.Predefined op) {
    return switch (op) {
      case MAX -> FloatKernels::max;
      case MIN -> FloatKernels::min;
      case SUM -> FloatKernels::sum;
      case PROD -> FloatKernels::prod;
      case MAXLOC -> FloatKernels::maxLoc;
      case MINLOC -> FloatKernels::minLoc;
      case LAND, LOR, LXOR, BAND, BOR, BXOR -> null;
    };
  }

  private static void max(float[] in, float[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.max(in[k], inOut[k]);
    }
  }

  private static void min(float[] in, float[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = Math.min(in[k], inOut[k]);
    }
  }

  private static void sum(float[] in, float[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] + inOut[k];
    }
  }

  private static void prod(float[] in, float[] inOut, int from, int to) {
    for (int k = from; k < to; k++) {
      inOut[k] = in[k] * inOut[k];
    }
  }

  private static void maxLoc(float[] in, float[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      float a = in[k];
      float b = inOut[k];
      boolean equal = a == b || (Float.isNaN(a) && Float.isNaN(b));
      // As in max, a value that is not a number wins.
      if (equal ? isFirst(in, inOut, k) : a > b || Float.isNaN(a)) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  private static void minLoc(float[] in, float[] inOut, int from, int to) {
    for (int k = from; k < to; k += 2) {
      float a = in[k];
      float b = inOut[k];
      boolean equal = a == b || (Float.isNaN(a) && Float.isNaN(b));
      // As in min, a value that is not a number wins.
      if (equal ? isFirst(in, inOut, k) : a < b || Float.isNaN(a)) {
        inOut[k] = a;
        inOut[k + 1] = in[k + 1];
      }
    }
  }

  /**
   * Of two pairs with equal values, that of the lower index; if that is the same too, one chosen by
   * its bits (0.0 and -0.0 are equal): the order in which ranks are combined does not matter.
   */
  private static boolean isFirst(float[] in, float[] inOut, int k) {
    return in[k + 1] == inOut[k + 1]
        ? Float.floatToRawIntBits(in[k]) > Float.floatToRawIntBits(inOut[k])
        : in[k + 1] < inOut[k + 1];
  }
}
