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

  private static void max(float[] in, int i, float[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = Math.max(in[i + k], inOut[j + k]);
    }
  }

  private static void min(float[] in, int i, float[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = Math.min(in[i + k], inOut[j + k]);
    }
  }

  private static void sum(float[] in, int i, float[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] + inOut[j + k];
    }
  }

  private static void prod(float[] in, int i, float[] inOut, int j, int count) {
    for (int k = 0; k < count; k++) {
      inOut[j + k] = in[i + k] * inOut[j + k];
    }
  }

  private static void maxLoc(float[] in, int i, float[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      float a = in[i + k];
      float b = inOut[j + k];
      boolean equal = a == b || (Float.isNaN(a) && Float.isNaN(b));
      // As in max, a value that is not a number wins.
      if (equal ? in[i + k + 1] < inOut[j + k + 1] : a > b || Float.isNaN(a)) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }

  private static void minLoc(float[] in, int i, float[] inOut, int j, int count) {
    for (int k = 0; k < count; k += 2) {
      float a = in[i + k];
      float b = inOut[j + k];
      boolean equal = a == b || (Float.isNaN(a) && Float.isNaN(b));
      // As in min, a value that is not a number wins.
      if (equal ? in[i + k + 1] < inOut[j + k + 1] : a < b || Float.isNaN(a)) {
        inOut[j + k] = a;
        inOut[j + k + 1] = in[i + k + 1];
      }
    }
  }
}
